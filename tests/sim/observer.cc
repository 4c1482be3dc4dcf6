#include "tests/sim/observer.h"

#include <algorithm>
#include <utility>

#include "tests/sim/faults.h"
#include "tests/sim/sim_client.h"
#include "tests/sim/sim_kafka.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_redis.h"
#include "tests/sim/sim_store.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

using core::RoomId;
using core::Seq;

namespace {

// The first that a page lacks of what is visible from `low` (0: its own first) to its last; 0:
// none.
Seq FirstHole(const std::set<Seq>& visible, Seq low, const std::set<Seq>& page) {
  if (page.empty()) return 0;
  if (low == 0) low = *page.begin();
  for (auto it = visible.lower_bound(low); it != visible.end() && *it < *page.rbegin(); ++it) {
    if (!page.contains(*it)) return *it;
  }
  return 0;
}

}  // namespace

void Observer::Violation(const std::string& kind, const std::string& text) {
  if (!kinds_.insert(kind + " " + text.substr(0, text.find(' '))).second) return;
  problems_.push_back({world_.now(), kind, text});
  world_.Trace("!!! " + kind + ": " + text);
}

Observer::PlacedPtr Observer::Find(const RoomId& room, Seq seq) const {
  const auto of_room = truth_.find(room);
  if (of_room == truth_.end()) return nullptr;
  const auto it = of_room->second.find(seq);
  return it == of_room->second.end() ? nullptr : it->second;
}

std::string Observer::Describe(const Placed& placed) const {
  return placed.room.value() + "#" + Show(placed.place.seq) + "(prev " + Show(placed.place.prev) +
         ") " + placed.label;
}

// ---- As things happen

void Observer::OnPlaced(const core::Message& message, const core::Place& place, const SimNode& by) {
  Note("placed");
  auto placed = std::make_shared<Placed>();
  placed->room = message.room;
  placed->place = place;
  placed->id = message.id;
  placed->key = {core::IdOf(message.room, message.sender, message.cid), message.hash};
  placed->label = message.cid.value() + "/" + message.body + " by " + by.name().value();
  placed->at = world_.now();
  if (world_.tracing()) world_.Trace("placed " + Describe(*placed));

  PlacedPtr& slot = truth_[message.room][place.seq];
  if (slot != nullptr) {
    Violation("SEQ_REUSE", Describe(*placed) + " was " + Describe(*slot));
  }
  slot = placed;
  places_[placed->key].push_back(placed);
  without_row_.push_back(placed);
  if (world_.store().state().CurrentGeneration() != place.generation) Note("placed_before_raise");
  CheckTexts(placed);
}

// P2: an id stands for one text in one memory of Redis. After a loss a second one may be stored,
// under an id of its own: never in the first memory.
void Observer::CheckTexts(const PlacedPtr& placed) {
  const core::MessageId& base_id = placed->key.first;
  if (first_texts_.emplace(base_id, placed).first->second->key != placed->key) Note("both_texts");
  const auto in_memory = std::pair(placed->id, placed->place.generation);
  const PlacedPtr& first = texts_.emplace(in_memory, placed).first->second;
  if (first->key != placed->key && !IsLate(*first, *placed)) {
    Violation("TWO_TEXTS", Describe(*placed) + " after " + Describe(*first));
  }
  if (placed->id != base_id && placed->place.generation == 1) {
    Violation("TWO_TEXTS", Describe(*placed) + " has an id of its own, but nothing was lost");
  }
}

void Observer::CheckContent(const RoomId& room, Seq seq, const core::MessageId& id,
                            core::BodyHash hash, const char* where, bool seen) {
  const PlacedPtr placed = Find(room, seq);
  if (placed == nullptr) {
    Violation("NO_SUCH_PLACE", room.value() + "#" + Show(seq) + " in " + where);
    return;
  }
  if (placed->id != id || placed->key.second != hash) {
    Violation("TWO_CONTENTS", Describe(*placed) + " is another message in " + where);
  }
  if (seen) placed->seen = true;
}

void Observer::OnRow(const core::PlacedMessage& row) {
  CheckContent(row.message->room, row.place.seq, row.message->id, row.message->hash, "row", false);
}

void Observer::OnCollision(const core::PlacedMessage& row) {
  Violation("COLLISION", row.message->room.value() + "#" + Show(row.place.seq) + " " +
                             row.message->cid.value() + " finds another row in its place");
}

void Observer::OnDelivery(const core::Event& event) {
  CheckContent(event.room, event.place.seq, event.id, event.hash, "a delivery", true);
}

// P1: what is acked is in the log and has its place.
void Observer::OnAck(const core::UserId& user, const core::SendRequest& send,
                     const core::Ack& ack) {
  Note("acks");
  const core::MessageId id = core::IdOf(send.room, user, send.cid);
  const core::BodyHash hash = core::HashOf(send.kind, send.body);
  const std::string what = send.room.value() + "#" + Show(ack.seq) + " " + send.cid.value();
  if (!world_.kafka().WasLogged(id)) Violation("ACK_UNLOGGED", what);
  if (ack.id != id && ack.id != core::VariantIdOf(id, hash)) Violation("ACK_ID", what);
  const PlacedPtr placed = Find(send.room, ack.seq);
  if (placed == nullptr) {
    Violation("ACK_UNPLACED", what);
    return;
  }
  placed->acked = true;
  acks_.push_back({{id, hash}, placed, send.room, ack.seq, world_.now()});
}

// ---- Reads

Observer::Visible Observer::Present(SimNode& node, const RoomId& room) const {
  Visible present;
  if (const auto* rows = world_.store().state().RowsOf(room)) {
    for (const auto& [seq, row] : *rows) present.seqs.insert(seq);
  }
  SimRedis& redis = node.redis();
  const auto mark = redis.state().GetGeneration(redis.run_id());
  if (mark.number == 0) return present;
  const auto window = redis.state().Window(world_.timeline().WallMillis(),
                                           {room, mark.number, 0, core::kMaxSeq, 1'000'000, false});
  present.head = window.head;
  for (const auto& message : window.messages) present.seqs.insert(message.place.seq);
  return present;
}

Seq Observer::Somewhere(const RoomId& room) const {
  const auto of_room = truth_.find(room);
  if (of_room == truth_.end()) return 0;
  const std::size_t back = 1 + world_.random().Below(39);
  auto it = of_room->second.end();
  std::advance(it, -static_cast<std::ptrdiff_t>(std::min(back, of_room->second.size())));
  return it->first - 1;
}

// What was there before the read, and still is after it, must be in its page, and so must all that
// lies below the page's last. (Rows above the head come from another Redis: the node has yet to
// hear of it.)
void Observer::OnHistory(SimNode& node, const core::HistoryRequest& request,
                         const core::HistoryPage& page, const Visible& before) {
  Note("history_pages");
  std::set<Seq> got;
  for (const core::PlacedMessage& message : page.messages) {
    CheckContent(request.room, message.place.seq, message.message->id, message.message->hash,
                 "history", true);
    if (!got.empty() && *got.rbegin() >= message.place.seq) {
      Violation("READ_ORDER", request.room.value());
    }
    got.insert(message.place.seq);
  }
  const bool up = request.after.has_value();
  Seq low = up ? *request.after + 1 : 0;
  Seq high = request.before ? *request.before - 1 : core::kMaxSeq;
  if (page.next && !got.empty()) (up ? high : low) = up ? *got.rbegin() : *got.begin();
  if (!page.next || !up)
    high = std::min(high, got.empty() ? before.head : std::max(before.head, *got.rbegin()));
  const std::set<Seq> now = Present(node, request.room).seqs;
  if (const Seq hole = FirstHole(now, up ? *request.after + 1 : 0, got)) {
    Violation("READ_HOLE", node.name().value() + " reads " + request.room.value() + " up to #" +
                               Show(*got.rbegin()) + ": lacks #" + Show(hole));
  }
  for (auto it = before.seqs.lower_bound(low); it != before.seqs.end() && *it <= high; ++it) {
    if (got.contains(*it) || !now.contains(*it)) continue;
    Violation("READ_HOLE", node.name().value() + " reads " + request.room.value() + " [" +
                               Show(low) + "," + Show(high) + "]: lacks #" + Show(*it));
  }
}

// ---- A few times a second

void Observer::Watch() {
  std::erase_if(without_row_, [this](const PlacedPtr& placed) { return HasRow(*placed); });
  CheckComplete();
  CheckSilentRooms();
  CheckPresence();
}

// Window and rows hold every message of this generation that was acked or seen.
void Observer::CheckComplete() {
  SimRedis& redis = world_.redis();
  const auto mark = redis.state().GetGeneration(redis.run_id());
  if (!redis.up() || redis.stalled() || mark.number == 0) return;
  const std::int64_t now_ms = world_.timeline().WallMillis();
  for (const PlacedPtr& placed : without_row_) {
    if (placed->place.generation != mark.number || placed->told) continue;
    if (!placed->seen && !placed->acked) continue;
    const Seq seq = placed->place.seq;
    const auto window =
        redis.state().Window(now_ms, {placed->room, mark.number, seq - 1, seq + 1, 1, false});
    if (!window.messages.empty()) continue;
    placed->told = true;
    Violation("INCOMPLETE", Describe(*placed) + " is in neither window nor rows");
  }
}

// 8 s after the last fault nobody lacks anything that is 6 s old, in silent rooms either.
void Observer::CheckSilentRooms() {
  const double now = world_.now();
  if (now < next_silent_check_ || world_.kafka().lag()) return;
  if (!world_.faults().WasQuiet(now - 8, now)) return;
  next_silent_check_ = now + 1.5;
  Note("silent_checks");
  for (const auto& client : world_.clients()) {
    for (const auto& [room, interval] : client->present()) {
      if (client->link() == nullptr || !interval->IsJoinedOn(client->link())) continue;
      if (interval->joined_at > now - 6) continue;
      const auto missed = Missed(*interval, core::kMaxSeq, now - 6);
      if (missed.empty()) continue;
      Violation("SILENT", client->name() + " " + room.value() + " on " +
                              client->link()->node().name().value() + " lacks #" +
                              Show(missed.front()));
    }
  }
}

// P9: 10 s after the last fault each node knows all the others.
void Observer::CheckPresence() {
  if (world_.now() < 10 || !world_.faults().WasQuiet(world_.now() - 10, world_.now())) return;
  for (const auto& node : world_.nodes()) {
    if (!node->alive()) continue;
    const auto& live = node->chat().live_nodes();
    for (const auto& other : world_.nodes()) {
      if (!other->alive()) continue;
      const auto& entry = other->chat().self();
      if (std::find(live.begin(), live.end(), entry) != live.end()) continue;
      Violation("PRESENCE", other->name().value() + " is not known to " + node->name().value());
    }
  }
}

// ---- Places, rows, excuses

bool Observer::HasRow(const Placed& placed) const {
  const auto* rows = world_.store().state().RowsOf(placed.room);
  if (rows == nullptr) return false;
  const auto it = rows->find(placed.place.seq);
  return it != rows->end() && it->second.placed.message->id == placed.id;
}

bool Observer::IsVoid(const Placed& placed) const {
  if (HasRow(placed)) return false;
  const auto& places = places_.at(placed.key);
  return std::any_of(places.begin(), places.end(), [&](const PlacedPtr& other) {
    if (other->place.generation > placed.place.generation) return true;
    return placed.place.generation < world_.store().state().CurrentGeneration() &&
           IsLate(*other, placed) && HasRow(*other);
  });
}

bool Observer::IsLate(const Placed& placed, const Placed& again) const {
  return world_.options().late_unmarked &&
         again.at - placed.at > world_.options().times.dedup * .99;
}

bool Observer::IsNewAgain(const Placed& placed) const {
  const auto& places = places_.at(placed.key);
  return std::any_of(places.begin(), places.end(), [&](const PlacedPtr& earlier) {
    return earlier->place.seq < placed.place.seq && IsLate(*earlier, placed) && HasRow(*earlier);
  });
}

bool Observer::AnotherTextHasRow(const Placed& placed) const {
  for (const auto& [key, places] : places_) {
    if (key.first != placed.key.first || key == placed.key) continue;
    for (const PlacedPtr& other : places) {
      if (HasRow(*other)) return true;
    }
  }
  return false;
}

std::vector<Seq> Observer::Missed(const Interval& interval, Seq up_to, double placed_before) const {
  std::vector<Seq> missed;
  const auto* rows = world_.store().state().RowsOf(interval.room);
  if (rows == nullptr) return missed;
  std::set<Seq> got;
  std::map<Key, std::vector<PlacedPtr>> got_by_key;
  for (const Interval::Received& received : interval.received) {
    got.insert(received.seq);
    const PlacedPtr placed = Find(interval.room, received.seq);
    if (placed != nullptr) got_by_key[placed->key].push_back(placed);
  }
  for (auto it = rows->upper_bound(interval.start); it != rows->end() && it->first <= up_to; ++it) {
    const PlacedPtr placed = Find(interval.room, it->first);
    if (got.contains(it->first) || placed == nullptr || placed->at > placed_before) continue;
    if (IsNewAgain(*placed)) {
      missed.push_back(it->first);
      continue;
    }
    const auto& earlier = got_by_key[placed->key];
    const bool had_it = std::any_of(earlier.begin(), earlier.end(), [&](const PlacedPtr& p) {
      return p->place.seq < it->first && IsVoid(*p);
    });
    const auto& places = places_.at(placed->key);
    const bool joined_above = std::any_of(places.begin(), places.end(), [&](const PlacedPtr& p) {
      return p->place.generation >= interval.generation && p->place.seq <= interval.start &&
             IsVoid(*p);
    });
    if (!had_it && !joined_above) missed.push_back(it->first);
  }
  return missed;
}

}  // namespace minichat::sim
