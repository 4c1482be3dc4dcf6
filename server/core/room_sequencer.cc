#include "server/core/room_sequencer.h"

#include <algorithm>
#include <optional>

#include "server/core/make_event.h"

namespace minichat::core {
namespace {

constexpr Duration kPullRetry = std::chrono::milliseconds(100);
constexpr Duration kPageYield =
    std::chrono::milliseconds(2);  // others get their turn between pages

}  // namespace

RoomSequencer::RoomSequencer(NodeContext& node, Membership& membership, RoomReader& reader,
                             RoomId room)
    : node_(node),
      membership_(membership),
      reader_(reader),
      room_(std::move(room)),
      ring_(node.options.ring_events, node.options.ring_bytes) {}

void RoomSequencer::Add(const SessionPtr& session, Seq cursor, Seq head) {
  Member member;
  member.session = session;
  member.joined = cursor;
  member.cursor = cursor;
  member.want = std::max(head, cursor);
  members_.insert_or_assign(session->id, std::move(member));
}

void RoomSequencer::Remove(const SessionId& session) {
  members_.erase(session);
}

Seq RoomSequencer::CursorOf(const SessionId& session) const {
  return members_.at(session).cursor;
}

std::vector<SessionPtr> RoomSequencer::sessions() const {
  std::vector<SessionPtr> all;
  all.reserve(members_.size());
  for (const auto& [id, member] : members_) all.push_back(member.session);
  return all;
}

void RoomSequencer::OnLocalEvent(const EventPtr& event) {
  const TimePoint start = node_.now();
  AddToRing(event);
  bool lacks = false;
  for (auto& [id, member] : members_) OnEvent(member, event, DeliveryPath::kLocal, &lacks);
  ObserveDeliver(start);
  if (lacks) HoldThenPull();
}

void RoomSequencer::OnLocalEvent(const EventPtr& event, const SessionId& recipient) {
  const TimePoint start = node_.now();
  AddToRing(event);
  const auto it = members_.find(recipient);
  if (it == members_.end()) return;
  bool lacks = false;
  OnEvent(it->second, event, DeliveryPath::kLocal, &lacks);
  ObserveDeliver(start);
  if (lacks) HoldThenPull();
}

std::vector<RelayResult> RoomSequencer::OnRelayedEvent(const EventPtr& event,
                                                       const std::vector<SessionId>& recipients) {
  const TimePoint start = node_.now();
  AddToRing(event);
  bool lacks = false;
  std::vector<RelayResult> results;
  results.reserve(recipients.size());
  for (const SessionId& recipient : recipients) {
    const auto it = members_.find(recipient);
    if (it == members_.end()) {
      results.push_back(RelayResult::kNotHere);
      continue;
    }
    OnEvent(it->second, event, DeliveryPath::kRelay, &lacks);
    results.push_back(RelayResult::kQueued);
  }
  ObserveDeliver(start);
  if (lacks) HoldThenPull();
  return results;
}

void RoomSequencer::ObserveDeliver(TimePoint start) {
  node_.metrics().stage_deliver.Observe(std::chrono::duration<double>(node_.now() - start).count());
}

void RoomSequencer::CatchUp(const SessionId& session, PullCause cause) {
  const auto it = members_.find(session);
  if (it != members_.end() && ServeFromRing(it->second) == Served::kLacks) Pull(cause);
}

void RoomSequencer::SetStoredUpTo(Seq stored) {
  stored_upto_ = stored;
  std::erase_if(*unstored_, [stored](const auto& entry) { return entry.second <= stored; });
}

std::vector<SessionId> RoomSequencer::SessionsBelow(Seq head) const {
  std::vector<SessionId> below;
  if (!node_.options.repair) return below;
  if (!node_.rules().sweepcur && ring_.highest() >= head) return below;
  for (const auto& [id, member] : members_) {
    if (member.cursor < head) below.push_back(id);
  }
  return below;
}

void RoomSequencer::RepairTo(Seq head, const std::vector<SessionId>& sessions) {
  bool lacks = false;
  for (const SessionId& session : sessions) {
    const auto it = members_.find(session);
    if (it == members_.end() || it->second.cursor >= head) continue;
    it->second.want = std::max(it->second.want, head);
    if (ServeFromRing(it->second) == Served::kLacks) lacks = true;
  }
  if (lacks) Pull(PullCause::kSweep);
}

void RoomSequencer::OnGeneration() {
  AddVariants(*unstored_);
  // From now, not from the generation's opening: a node on the far side of a failover went on
  // delivering under the old numbers until now.
  const TimePoint until = node_.now() + node_.options.directory.dedup_ttl;
  for (auto& [id, member] : members_) {
    member.passed.Remember(unstored_, member.joined, member.cursor, until, node_.rules());
    member.cursor = member.ahead.AbsorbAll(member.cursor);
    member.want = member.cursor;
  }
  if (node_.rules().ringgen) ring_.Clear();
  unstored_ = std::make_shared<UnstoredMap>();
  stored_upto_ = 0;
}

void RoomSequencer::AddToRing(const EventPtr& event) {
  if (!ring_.Add(event)) return;
  if (event->place.seq > stored_upto_) (*unstored_)[{event->id, event->hash}] = event->place.seq;
  const EventPtr dropped = ring_.TakeDropped();
  if (dropped && !node_.rules().fresh) unstored_->erase({dropped->id, dropped->hash});
}

void RoomSequencer::OnEvent(Member& member, const EventPtr& event, DeliveryPath path, bool* lacks) {
  const Place& place = event->place;
  if (place.seq <= member.cursor) return;  // a repeat
  if (!node_.options.repair) return OnEventUnrepaired(member, event, path);
  member.want = std::max(member.want, place.seq);
  if (place.prev <= member.cursor && !member.session->corked) Deliver(member, event, path);
  if (ServeFromRing(member) == Served::kLacks) *lacks = true;
}

void RoomSequencer::OnEventUnrepaired(Member& member, const EventPtr& event, DeliveryPath path) {
  if (member.session->corked) {  // the resume brings it
    member.want = std::max(member.want, event->place.seq);
    return;
  }
  if (!member.ahead.Add(event->place)) return;  // a repeat
  Hand(member, event, path);
  member.cursor = member.ahead.Absorb(member.cursor);
}

RoomSequencer::Served RoomSequencer::ServeFromRing(Member& member) {
  while (member.cursor < member.want) {
    if (member.session->corked || !member.session->link->CanTakePage()) {
      return Served::kWaitsForClient;
    }
    const EventPtr next = ring_.Above(member.cursor);
    if (next == nullptr || next->place.prev > member.cursor) return Served::kLacks;
    Deliver(member, next, DeliveryPath::kPull);
  }
  return Served::kAll;
}

void RoomSequencer::Deliver(Member& member, const EventPtr& event, DeliveryPath path) {
  member.cursor = event->place.seq;
  if (!member.ahead.Remove(event->place.seq)) Hand(member, event, path);
}

void RoomSequencer::Hand(Member& member, const EventPtr& event, DeliveryPath path) {
  if (member.passed.Had({event->id, event->hash}, node_.now(), node_.rules())) {
    node_.metrics().suppressed.Increment();
    return;
  }
  member.session->link->Deliver(event);
  switch (path) {
    case DeliveryPath::kLocal:
      node_.metrics().deliveries_local.Increment();
      break;
    case DeliveryPath::kRelay:
      node_.metrics().deliveries_relay.Increment();
      break;
    case DeliveryPath::kPull:
      node_.metrics().deliveries_pull.Increment();
      break;
  }
}

void RoomSequencer::HoldThenPull() {
  if (holding_) return;
  holding_ = true;
  node_.tasks.Spawn(Hold(shared_from_this()));
}

Task<void> RoomSequencer::Hold(std::shared_ptr<RoomSequencer> self) {
  Seq waiting_at = 0;
  bool lacks = self->LowestLacking(&waiting_at);
  while (lacks) {
    co_await Sleep(self->node_.scheduler(), self->node_.options.hold);
    Seq still_at = 0;
    lacks = self->LowestLacking(&still_at);
    if (lacks && still_at == waiting_at) {
      self->Pull(PullCause::kHole);
      break;
    }
    waiting_at = still_at;  // that hole was filled, this one is newer
  }
  self->holding_ = false;
}

void RoomSequencer::Pull(PullCause cause) {
  if (pulling_) {
    pull_again_ = true;
    return;
  }
  pulling_ = true;
  switch (cause) {
    case PullCause::kHole:
      node_.metrics().pulls_hole.Increment();
      break;
    case PullCause::kSweep:
      node_.metrics().pulls_sweep.Increment();
      break;
    case PullCause::kJoin:
      node_.metrics().pulls_join.Increment();
      break;
    case PullCause::kResume:
      node_.metrics().pulls_resume.Increment();
      break;
  }
  node_.tasks.Spawn(RunPull(shared_from_this()));
}

Task<void> RoomSequencer::RunPull(std::shared_ptr<RoomSequencer> self) {
  std::optional<TimePoint> failing_since;
  Seq after = 0;
  while (self->LowestLacking(&after)) {
    self->pull_again_ = false;
    WindowLow low;
    auto page =
        co_await self->reader_.ReadAfter(self->room_, after, self->node_.options.page, &low);
    if (!page.ok()) {
      const TimePoint now = self->node_.now();
      if (!failing_since) failing_since = now;
      if (low.known && now - *failing_since > self->node_.options.gap_after) {
        self->TellGap(low);
        failing_since.reset();
      }
      if (!self->membership_.ready()) break;  // the sweep starts it again
      co_await Sleep(self->node_.scheduler(), kPullRetry);
      continue;
    }
    failing_since.reset();
    self->DeliverPage(page.value(), after);
    if (!page->more && !self->pull_again_) break;
    co_await Sleep(self->node_.scheduler(), kPageYield);
  }
  self->pulling_ = false;
}

bool RoomSequencer::LowestLacking(Seq* cursor) {
  bool found = false;
  for (auto& [id, member] : members_) {
    if (ServeFromRing(member) != Served::kLacks) continue;
    if (!found || member.cursor < *cursor) *cursor = member.cursor;
    found = true;
  }
  return found;
}

void RoomSequencer::DeliverPage(const ReadPage& page, Seq after) {
  std::vector<EventPtr> events;
  events.reserve(page.messages.size());
  for (const PlacedMessage& placed : page.messages) {
    events.push_back(MakeEvent(placed, node_.ports.encoder));
    AddToRing(events.back());
  }
  for (auto& [id, member] : members_) {
    if (member.cursor < after) continue;  // joined further back meanwhile: the next page
    if (!node_.options.repair && member.cursor >= member.want) continue;  // not what it joined for
    bool took_all = true;
    for (const EventPtr& event : events) {
      if (event->place.seq <= member.cursor) continue;
      took_all = !member.session->corked && member.session->link->CanTakePage();
      if (!took_all) {
        member.want = std::max(member.want, event->place.seq);
        break;
      }
      Deliver(member, event, DeliveryPath::kPull);
    }
    // Complete to the head: what lacks below it has no row, and never will.
    if (took_all && !page.more) member.cursor = std::max(member.cursor, page.head);
  }
}

void RoomSequencer::TellGap(const WindowLow& low) {
  for (auto& [id, member] : members_) {
    if (member.cursor >= low.prev || member.session->corked) continue;
    member.session->link->TellGap(room_, member.cursor + 1, low.prev);
    member.cursor = low.prev;
    node_.metrics().gaps.Increment();
  }
}

}  // namespace minichat::core
