#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "server/base/deadline.h"
#include "server/base/status.h"
#include "server/base/task.h"
#include "server/core/message.h"

namespace minichat::core {

// `minichat:gen`: which memory of the directory is in force.
struct GenerationMark {
  std::string run_id;
  Generation number = 0;
  std::int64_t since_ms = 0;  // directory's clock

  bool operator==(const GenerationMark&) const = default;
};

enum class RegisterOutcome { kTaken, kOk };

struct NodeEntry {
  NodeName name;
  Incarnation incarnation;
  std::string relay_address;  // "host:port"; empty: it has no relay

  bool operator==(const NodeEntry&) const = default;
};

// The relay mode that an operator set for the whole cluster; empty: each node's own config counts.
struct RelayModeSetting {
  std::uint64_t version = 0;
  std::string mode;

  bool operator==(const RelayModeSetting&) const = default;
};

// Something that ends what sessions may do, on whichever node they are.
struct AccessChange {
  enum class Kind {
    kMemberRemoved,  // `user` from `room`
    kKicked,         // `session`; when that is empty, all sessions of `user`
    kRevoked,        // sessions of `user` whose token was issued before `before_ms`
  };
  Kind kind = Kind::kKicked;
  UserId user;
  RoomId room;
  SessionId session;
  std::int64_t before_ms = 0;

  bool operator==(const AccessChange&) const = default;
};

// The changes after a version, in their order.
struct AccessNews {
  std::uint64_t version = 0;
  bool complete = true;  // false: some are forgotten already, so all must be checked anew
  std::vector<AccessChange> changes;

  bool operator==(const AccessNews&) const = default;
};

struct HeartbeatReply {
  enum class Outcome { kOk, kGone, kTaken };
  Outcome outcome = Outcome::kOk;
  std::vector<NodeEntry> live_nodes;  // of this generation, this node included
  RelayModeSetting relay_mode;
  std::uint64_t access_version = 0;  // of the latest access change; 0: none is known
};

// A node's own entry.
struct NodeIdentity {
  NodeEntry entry;
  Generation generation = 0;
};

struct Route {
  SessionId session;
  UserId user;
  NodeName node;
  Incarnation incarnation;

  bool operator==(const Route&) const = default;
};

struct RoomRoutes {
  std::uint64_t version = 0;  // 0: the room is cold
  std::vector<Route> routes;
};

struct JoinOutcome {
  bool cold = false;
  Seq head = 0;
  std::uint64_t route_version = 0;
};

// Proof that Postgres was asked for an id and had no row: by the directory's clock, in a
// generation.
struct LookedUpMiss {
  std::int64_t at_ms = 0;
  Generation generation = 0;

  bool operator==(const LookedUpMiss&) const = default;
};

struct CommitRequest {
  MessagePtr message;
  Attempt attempt = 0;
  Generation generation = 0;
  bool resend = false;  // a miss must have been looked up
  std::optional<LookedUpMiss> looked_up;
};

struct CommitReply {
  enum class Outcome {
    kPlaced,    // `place`; see `duplicate`, `own_attempt`
    kConflict,  // the id has another text; `place` is that text's
    kMiss,      // must be looked up first; then again with `miss`
    kCold,      // must be warmed first
    kFull,      // the hot window is at its bound
  };
  Outcome outcome = Outcome::kPlaced;
  Place place;
  std::uint64_t route_version = 0;
  bool duplicate = false;
  bool own_attempt = false;     // the duplicate is this very attempt: counts as new
  bool filling = false;         // newly placed, and the hot window is above IsFilling()'s part
  std::int64_t sent_at_ms = 0;  // of the first one
  LookedUpMiss miss;

  bool operator==(const CommitReply&) const = default;
};

// Where an id is that has a place but no row yet (an entry of `u`).
struct UnstoredPlace {
  MessageId id;
  Place place;
  BodyHash hash = 0;

  bool operator==(const UnstoredPlace&) const = default;
};

struct WindowRequest {
  RoomId room;
  Generation generation = 0;
  Seq after = 0;         // exclusive
  Seq before = kMaxSeq;  // exclusive
  std::size_t limit = 0;
  bool from_end = false;  // the last `limit` of the range, not its first
};

struct WindowReply {
  bool cold = false;
  std::vector<PlacedMessage> messages;  // ascending, with prev
  bool empty = true;                    // the whole window holds nothing; else its lowest entry:
  Seq lowest_seq = 0;
  Seq lowest_prev = 0;
  Seq head = 0;
};

struct RoomHead {
  bool cold = false;
  Seq head = 0;
  Seq stored_upto = 0;  // all of this generation up to here has rows
  std::uint64_t route_version = 0;
  std::size_t routes = 0;  // those of dead nodes, too, until they are cleaned

  bool operator==(const RoomHead&) const = default;
};

struct WarmRequest {
  RoomId room;
  Generation generation = 0;
  std::string lease_token;
  Seq max_seq = 0;             // of the rows
  bool recently_used = false;  // its newest row is younger than 2 * dedup.ttl: misses are looked up
};

enum class LeaseOutcome { kGranted, kBusy, kOpen };
enum class WarmOutcome {
  kDone,             // warm now
  kLeaseLost,        // nothing changed
  kOtherGeneration,  // minichat:gen is not this generation: nothing changed
};

// Who is where, and which message has which place: the soft state that all nodes share. Redis, or
// memory. Each method is one atomic script; `generation` says in whose memory the caller lives, and
// data of another generation counts as absent.
//
// Lifetime:  outlives the ChatNode.
// Threading: called on the core scheduler's thread; callbacks run there, never inside the call.
// Errors:    each callback runs exactly once, at the latest about when its deadline has passed:
//            DeadlineExceeded = may have been executed; Unavailable = link down or given up (may
//            have been executed as well). After a link is lost all pending calls fail so.
// Limits:    pending calls are bounded; above, ResourceExhausted at once.
class RoomDirectory {
 public:
  // Told on the core thread when the link is lost (not when Connect() gives it up).
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void OnDirectoryLost() = 0;
  };

  virtual ~RoomDirectory() = default;

  virtual void SetListener(Listener* listener) = 0;
  virtual bool connected() const = 0;
  // Gives up the present link, makes a new one, and tells the run id of the server behind it.
  virtual void Connect(Deadline deadline, Callback<Result<std::string>> done) = 0;

  // Generations. The mark of another run id than the link's counts as absent (number 0).
  virtual void GetGeneration(Deadline deadline, Callback<Result<GenerationMark>> done) = 0;
  // Sets (link's run id, number, now) if the mark is still `seen`; answers the mark in force.
  virtual void SetGeneration(Generation number, GenerationMark seen, Deadline deadline,
                             Callback<Result<GenerationMark>> done) = 0;

  // Nodes. Registering takes the name when it is free, one's own, or its holder missed two beats.
  virtual void Register(const NodeIdentity& node, Deadline deadline,
                        Callback<Result<RegisterOutcome>> done) = 0;
  virtual void Heartbeat(const NodeIdentity& node, Deadline deadline,
                         Callback<Result<HeartbeatReply>> done) = 0;
  // Clean close: removes the entry if it is still this incarnation's.
  virtual void Unregister(const NodeIdentity& node, Deadline deadline, Callback<Status> done) = 0;
  // Janitor: removes routes of incarnations without a live entry, a bounded number per call; none
  // when `generation` is not the one in force.
  virtual void CleanDeadRoutes(Generation generation, Deadline deadline, Callback<Status> done) = 0;
  // Empty mode clears. Answers the setting in force.
  virtual void SetRelayMode(const std::string& mode, Deadline deadline,
                            Callback<Result<RelayModeSetting>> done) = 0;

  // Tells all nodes, each at its next heartbeat at the latest. Answers the change's version.
  virtual void AddAccessChange(const AccessChange& change, Deadline deadline,
                               Callback<Result<std::uint64_t>> done) = 0;
  virtual void AccessChangesAfter(std::uint64_t version, Deadline deadline,
                                  Callback<Result<AccessNews>> done) = 0;

  // Routes.
  virtual void Join(const RoomId& room, const Route& route, Generation generation,
                    Deadline deadline, Callback<Result<JoinOutcome>> done) = 0;
  virtual void Leave(const RoomId& room, const SessionId& session, const NodeName& node,
                     Generation generation, Deadline deadline, Callback<Status> done) = 0;
  // Puts routes back (a new incarnation); works on cold rooms too.
  virtual void Reroute(const RoomId& room, std::vector<Route> routes, Generation generation,
                       Deadline deadline, Callback<Status> done) = 0;
  virtual void Routes(const RoomId& room, Generation generation, Deadline deadline,
                      Callback<Result<RoomRoutes>> done) = 0;

  // Messages.
  virtual void Commit(const CommitRequest& request, Deadline deadline,
                      Callback<Result<CommitReply>> done) = 0;
  // Of `ids`, those that have a place and no row. A cold room: none.
  virtual void TakeUnstored(const RoomId& room, std::vector<MessageId> ids, Generation generation,
                            Deadline deadline,
                            Callback<Result<std::vector<UnstoredPlace>>> done) = 0;
  // They have rows now: forgets each (id, seq) that still matches, trims the window from its low
  // end.
  virtual void MarkStored(const RoomId& room, std::vector<std::pair<MessageId, Seq>> stored,
                          Generation generation, Deadline deadline, Callback<Status> done) = 0;
  // What has had a place for longer than `age` and no row, from the windows; at most `limit`.
  virtual void UnstoredOlderThan(Duration age, std::size_t limit, Generation generation,
                                 Deadline deadline,
                                 Callback<Result<std::vector<PlacedMessage>>> done) = 0;
  virtual void Window(const WindowRequest& request, Deadline deadline,
                      Callback<Result<WindowReply>> done) = 0;
  virtual void Heads(std::vector<RoomId> rooms, Generation generation, Deadline deadline,
                     Callback<Result<std::vector<RoomHead>>> done) = 0;

  // Warming a cold room: lease, then (after asking Postgres) warm.
  virtual void Lease(const RoomId& room, const std::string& token, Generation generation,
                     Deadline deadline, Callback<Result<LeaseOutcome>> done) = 0;
  virtual void Warm(const WarmRequest& request, Deadline deadline,
                    Callback<Result<WarmOutcome>> done) = 0;
};

// Limits that the directory itself enforces; the same for all implementations.
struct DirectoryLimits {
  Duration dedup_ttl = std::chrono::minutes(10);
  Duration room_ttl = std::chrono::hours(1);  // an idle room's keys, once all is stored
  Duration node_ttl = std::chrono::seconds(6);
  Duration heartbeat = std::chrono::seconds(1);
  Duration lease_ttl = std::chrono::seconds(2);
  std::size_t window_events = 256;                    // kept beyond what has no row yet
  std::uint64_t window_bytes_per_room = 64ull << 20;  // above: kFull
  std::uint64_t window_bytes_total = 1ull << 30;
  std::size_t access_changes = 1'000;     // kept; older ones are forgotten
  Seq generation_step = kGenerationStep;  // tests shrink it
};

// Is so much of a window's bound used that its senders should pause? What is logged already must
// still find a place: what it lacks then waits until its record is no longer young, and the whole
// partition with it. The quarter that is left takes what 3,000 sends of 4 KiB bring.
inline bool IsFilling(std::uint64_t bytes, std::uint64_t limit) {
  return bytes > limit / 4 * 3;
}

// What an entry of the window counts for in the bounds of DirectoryLimits: its strings, and 128 for
// keys, ids and numbers.
inline std::uint64_t WindowBytesOf(const Message& message) {
  return 128 + message.body.size() + message.sender.value().size() + message.cid.value().size();
}

}  // namespace minichat::core
