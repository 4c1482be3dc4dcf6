#pragma once

namespace minichat::core {

// The rules of a message's life (docs/life_of_a_message.md), each by a short name. All hold,
// always; only the simulation turns one off, to show that it then finds what the rule is there to
// prevent.
//
// Threading: immutable once the node runs.
struct ProtocolRules {
  bool first = true;     // the first mark for a run id wins
  bool raised = true;    // warming's transaction sets current = greatest(current, n) (off: only the
                         // first insert does)
  bool roomgen = true;   // a room of another generation is cold
  bool dgen = true;      // a dedup entry of another generation is absent
  bool nodegen = true;   // a node entry of another generation is absent
  bool beatgen = true;   // a beat in another generation than the directory's: the node is gone
  bool relaygen = true;  // a relay of another generation than the node's is dropped
  bool missgen = true;   // a looked-up miss is valid only in its generation
  bool readgen = true;   // what was read in another generation is not delivered
  bool ringgen = true;   // the ring is emptied at a new generation
  bool floor = true;     // numbers of generation n start above (n-1)*STEP
  bool fence = true;     // rows are inserted only if current is the n that their places came from
  bool lease = true;     // warming needs the lease's token
  bool warmcur = true;   // ... and is refused if current is above n
  bool warmgen = true;   // the warming script checks that minichat:gen is still the n of who asks
  bool doubt = true;  // a node whose insert or warming was refused so serves again when its Redis'
                      // n is Postgres' current; after 3 s it registers anew
  bool monotone =
      true;  // a node never serves in a lower generation than it has served in; it registers anew
  bool stillcold = true;  // warming checks that the room is still cold
  bool prevpg =
      true;  // a warmed room's head (prev of its first event) is Postgres' max (off: the floor)
  bool sweepwarm = true;  // the sweep warms a cold room that has sessions here
  bool replace = true;    // the persister commits what has no place
  bool young = true;      // ... when it is 2 s old
  bool pgknown =
      true;  // ... and Postgres has not got it: looked up at once, and again by the commit
  bool suppress =
      true;  // what a session had passed under an older number is not delivered to it again
  bool fresh = true;      // ... remembered for all that isn't known to be stored, not only the ring
  bool allgens = true;    // ... for all older generations, not only the last one
  bool sincejoin = true;  // ... and only of what it passed on this node since its join
  bool oldexp =
      true;  // ... and forgotten dedup.ttl after the node left that generation (off: never)
  bool uhash = true;  // u carries the body hash; the persister skips a record with another one
  bool both = true;   // a record of before the generation whose id has a place or row with another
                      // text is stored under an id of its own
  bool ownplace =
      true;            // a node places what it logged only in the generation that the record names
  bool recgen = true;  // a persister leaves a record that names a later generation than its own
  bool skipfence = true;  // a record is skipped only if no later generation is current
  bool early = true;      // an event that comes before its session has joined is pulled at the join
  bool joinonce =
      true;  // a join of a room that the session is in (or joining) leaves the cursor alone
  bool oldop = true;     // an attempt older than the op deadline counts as resend
  bool hungsend = true;  // a node that hung longer than the op deadline takes sends as resend for
                         // the next dedup.ttl
  bool resend = true;    // resend:true is looked up on a miss
  bool newlook =
      true;  // in the first dedup.ttl of a generation every miss is looked up in Postgres
  bool redisfirst = true;  // order: directory miss, Postgres, commit (off: Postgres, then commit)
  bool misstime = true;    // a looked-up miss is valid dedup.ttl/2
  bool latereply = true;   // a reply that is handled after its deadline counts as lost
  bool connreply = true;   // a reply that comes on a connection that was given up counts as lost
  bool uknown = true;      // known = dedup entry or u (off: dedup entry only)
  bool lowtrim = true;     // the window is trimmed from its low end, up to the first unstored
  bool markseq = true;     // mark names (id, seq)
  bool janu = true;        // what stays in u is written from the window by the janitor
  bool sweepcur = true;    // the sweep compares each session's cursor with the head
  bool toprow = true;      // with an empty window rows are read up to the head only
  bool winfirst = true;    // history reads the window, then Postgres
  bool routesttl = true;   // the routes have no TTL
  bool rereg = true;       // a node whose entry vanished registers anew
  bool nameready = true;   // a node serves only after it has its name
  bool markfirst = true;   // the offset is moved after the rows are marked
  bool ackrep = true;      // ack only after the delivery report
};

}  // namespace minichat::core
