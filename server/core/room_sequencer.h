#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "server/core/event_ring.h"
#include "server/core/passed_ahead.h"
#include "server/core/passed_messages.h"
#include "server/core/room_reader.h"
#include "server/core/session.h"

namespace minichat::core {

enum class DeliveryPath { kLocal, kRelay, kPull };
enum class PullCause { kHole, kSweep, kJoin, kResume };

// One room on one node: gives each session the room's events in seq order, none twice, and pulls
// what lacks. A session's cursor is the seq up to which it has everything; an event is queued to it
// when `prev <= cursor < seq`. What lacks a predecessor waits up to `hold` for it.
//
// With options.repair off an event goes out as it comes, none twice; only a join or a resume pulls,
// and only for its own session.
//
// Lifetime:  shared by the room table and its own pulls.
// Threading: confined to the core scheduler's thread.
// Errors:    a pull that fails is repeated; what can't be had because Postgres is away is told to
//            the sessions as a gap after `gap_after`.
// Limits:    the ring's; one pull at a time; catching up is paced by the client's queue.
class RoomSequencer : public std::enable_shared_from_this<RoomSequencer> {
 public:
  RoomSequencer(NodeContext& node, Membership& membership, RoomReader& reader, RoomId room);

  // A session joined: it has all up to `cursor` and gets what follows; `head` is the room's.
  void Add(const SessionPtr& session, Seq cursor, Seq head);
  void Remove(const SessionId& session);
  bool empty() const { return members_.empty(); }
  bool Has(const SessionId& session) const { return members_.count(session) != 0; }
  Seq CursorOf(const SessionId& session) const;
  // All local sessions, for the routes.
  std::vector<SessionPtr> sessions() const;

  // The event for all local sessions.
  void OnLocalEvent(const EventPtr& event);
  // The event for one of them.
  void OnLocalEvent(const EventPtr& event, const SessionId& recipient);
  // The event for the sessions that a relay lists; one result each.
  std::vector<RelayResult> OnRelayedEvent(const EventPtr& event,
                                          const std::vector<SessionId>& recipients);
  // Serves the session from the ring, and pulls what lacks.
  void CatchUp(const SessionId& session, PullCause cause);

  // The head sweep: all up to `stored` has rows; the sessions that are below `head` now.
  void SetStoredUpTo(Seq stored);
  std::vector<SessionId> SessionsBelow(Seq head) const;
  // Of these, whoever is still below `head` gets what lacks.
  void RepairTo(Seq head, const std::vector<SessionId>& sessions);

  // A new generation: the ring is emptied, sessions remember what they had.
  void OnGeneration();

 private:
  struct Member {
    SessionPtr session;
    Seq joined = 0;  // its cursor then
    Seq cursor = 0;
    Seq want = 0;  // the highest seq that it is to get
    PassedMessages passed;
    PassedAhead ahead;
  };
  enum class Served { kAll, kLacks, kWaitsForClient };

  void ObserveDeliver(TimePoint start);
  void AddToRing(const EventPtr& event);
  void OnEvent(Member& member, const EventPtr& event, DeliveryPath path, bool* lacks);
  void OnEventUnrepaired(Member& member, const EventPtr& event, DeliveryPath path);
  Served ServeFromRing(Member& member);
  // As the next one in order.
  void Deliver(Member& member, const EventPtr& event, DeliveryPath path);
  void Hand(Member& member, const EventPtr& event, DeliveryPath path);
  void HoldThenPull();
  Task<void> Hold(std::shared_ptr<RoomSequencer> self);
  void Pull(PullCause cause);
  Task<void> RunPull(std::shared_ptr<RoomSequencer> self);
  // The lowest cursor of the members that lack something; false: none does.
  bool LowestLacking(Seq* cursor);
  void DeliverPage(const ReadPage& page, Seq after);
  void TellGap(const WindowLow& low);

  NodeContext& node_;
  Membership& membership_;
  RoomReader& reader_;
  const RoomId room_;
  EventRing ring_;
  std::unordered_map<SessionId, Member> members_;
  std::shared_ptr<UnstoredMap> unstored_ = std::make_shared<UnstoredMap>();
  Seq stored_upto_ = 0;
  bool holding_ = false;
  bool pulling_ = false;
  bool pull_again_ = false;
};

}  // namespace minichat::core
