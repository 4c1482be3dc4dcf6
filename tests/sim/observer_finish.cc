// What must hold at the end of a run.
#include <algorithm>
#include <cmath>
#include <map>

#include "server/core/moderation.h"
#include "tests/sim/faults.h"
#include "tests/sim/observer.h"
#include "tests/sim/sim_client.h"
#include "tests/sim/sim_kafka.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_redis.h"
#include "tests/sim/sim_store.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

using core::Seq;

void Observer::Finish() {
  FinishPlaces();
  FinishAcks();
  for (const auto& client : world_.clients()) {
    for (const auto& interval : client->all()) FinishInterval(*client, *interval);
  }
  FinishViews();
  FinishServices();
}

// P2, P6: each message that had a place has a row, and one place, but for what a loss excuses.
void Observer::FinishPlaces() {
  for (auto& [key, places] : places_) {
    for (const PlacedPtr& placed : places) {
      const bool too_late = world_.options().late_unmarked && placed->at > kEnd - 10;
      if (HasRow(*placed) || IsVoid(*placed) || too_late) continue;
      Violation(AnotherTextHasRow(*placed) ? "TEXT_LOST" : "LOST",
                Describe(*placed) + ": no row there and no later place");
    }
    std::sort(places.begin(), places.end(),
              [](const PlacedPtr& a, const PlacedPtr& b) { return a->place.seq < b->place.seq; });
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      const Placed& placed = *places[i];
      if (IsVoid(placed)) {
        Note(placed.acked ? "renumbered_acked" : placed.seen ? "renumbered_seen" : "renumbered");
      } else if (IsLate(placed, *places[i + 1])) {
        Note("late_second");
      } else {
        Violation("SECOND_NUMBER", Describe(placed) + ", again " + Describe(*places[i + 1]));
      }
    }
  }
}

void Observer::FinishAcks() {
  for (const Acked& ack : acks_) {
    const PlacedPtr placed = Find(ack.room, ack.seq);
    if (placed->key != ack.key) {
      Violation("ACK_WRONG", Describe(*placed) + " was acked as another message");
    }
    if (!HasRow(*placed) && IsVoid(*placed)) Note("ack_renumbered");
  }
}

// P3, P4, P5: the interval has everything, once, in order, and nothing that isn't stored.
void Observer::FinishInterval(const SimClient& client, const Interval& interval) {
  const Seq last = interval.received.empty() ? interval.start : interval.received.back().seq;
  const bool goes_on =
      !interval.to && client.link() != nullptr && interval.IsJoinedOn(client.link());
  Seq head = 0;
  if (const auto* rows = world_.store().state().RowsOf(interval.room); rows && goes_on) {
    for (const auto& [seq, row] : *rows) {
      const PlacedPtr placed = Find(interval.room, seq);
      if (placed != nullptr && placed->at < kEnd - 2.5) head = seq;
    }
  }
  const std::string where = client.name() + " " + interval.room.value() + " (" +
                            Show(interval.start) + "," + Show(std::max(head, last)) + "] from " +
                            std::to_string(interval.from) + " " + interval.why;
  const auto missed = Missed(interval, std::max(head, last), 1e9);
  if (!missed.empty()) Violation("MISSED", where + ": #" + Show(missed.front()));
  CheckRepeats(interval, where);
  CheckInTime(client, interval);
}

void Observer::CheckRepeats(const Interval& interval, const std::string& where) {
  std::map<Key, std::pair<PlacedPtr, const Interval::Received*>> earlier;
  for (const Interval::Received& received : interval.received) {
    const PlacedPtr placed = Find(interval.room, received.seq);
    if (placed == nullptr) continue;  // told already
    const bool too_late = world_.options().late_unmarked && placed->at > kEnd - 10;
    if (placed->id != received.id || (!HasRow(*placed) && !IsVoid(*placed) && !too_late)) {
      Violation("EXTRA", where + ": " + Describe(*placed) + ", no such row");
    }
    const auto [it, is_first] = earlier.try_emplace(placed->key, placed, &received);
    if (!is_first) {
      const auto& [before, before_received] = it->second;
      const bool excused = IsVoid(*before);
      if (excused && before_received->link != received.link) {
        Note("again_in_another_session");
      } else if (excused && received.at - before_received->at > world_.options().times.dedup) {
        Note("again_after_ttl");
      } else if (!IsLate(*before, *placed)) {
        Violation("TWICE", where + ": " + Describe(*before) + " and " + Describe(*placed));
      }
    }
    it->second = {placed, &received};
  }
}

// P4: in quiet times within 1.5 s, and a moment for the way to the client.
void Observer::CheckInTime(const SimClient& client, const Interval& interval) {
  std::map<Seq, double> got;
  for (const Interval::Received& received : interval.received) got[received.seq] = received.at;
  const auto of_room = truth_.find(interval.room);
  if (of_room == truth_.end()) return;
  for (auto it = of_room->second.upper_bound(interval.start); it != of_room->second.end(); ++it) {
    const Placed& placed = *it->second;
    const double at = placed.at;
    if (at < interval.from || (interval.to && at + 2 > *interval.to)) continue;
    if (at + 2 > kEnd || !world_.faults().WasQuiet(at - 11, at + 1.7)) continue;
    const auto& absences = client.absences();
    if (std::any_of(absences.begin(), absences.end(), [at](const auto& absence) {
          return at > absence.first - 3 && at < absence.second + 3;
        })) {
      continue;
    }
    Note("checked_in_time");
    const auto received = got.find(it->first);
    if (received != got.end() && received->second <= at + 1.6) continue;
    const auto& places = places_.at(placed.key);
    const bool renumbered = std::any_of(places.begin(), places.end(),
                                        [this](const PlacedPtr& p) { return IsVoid(*p); });
    if (received == got.end() && renumbered) continue;  // MISSED looks at these
    Violation("LATE", client.name() + " " + Describe(placed) + " placed at " + std::to_string(at) +
                          ", got " +
                          (received == got.end() ? "never" : std::to_string(received->second)));
  }
}

// P9: when nothing has moved or failed for long, everyone knows who else is in the room.
void Observer::FinishViews() {
  const double now = world_.now();
  const auto& clients = world_.clients();
  const bool moved = std::any_of(clients.begin(), clients.end(), [now](const auto& client) {
    return client->moved_at() > now - 10;
  });
  if (moved || !world_.faults().WasQuiet(now - 20, now)) return;
  // As the nodes have it: a session whose client has given it up unheard is still there.
  std::map<core::RoomId, std::set<core::UserId>> there;
  for (const auto& node : world_.nodes()) {
    if (!node->alive()) continue;
    for (const auto& session : node->chat().moderation().Sessions(core::UserId())) {
      for (const core::RoomId& room : session.rooms) there[room].insert(session.user);
    }
  }
  for (const auto& client : clients) {
    for (const auto& [room, users] : there) {
      const std::set<core::UserId>* told = client->OnlineIn(room);
      if (told == nullptr) continue;
      Note("views_checked");
      std::set<core::UserId> believed = *told;
      believed.insert(client->user());  // nobody is told of oneself
      if (believed == users) continue;
      std::string text = client->name() + " " + room.value() + ": believes";
      for (const core::UserId& user : believed) text += " " + user.value();
      text += ", there are";
      for (const core::UserId& user : users) text += " " + user.value();
      Violation("PRESENCE_VIEW", text);
    }
  }
}

void Observer::FinishServices() {
  const auto& log = world_.kafka().log();
  for (std::int32_t p = 0; p < log.partitions(); ++p) {
    if (log.waiting(p) == 0) continue;
    Violation("PERSISTER_STUCK", "p" + std::to_string(p) + " " + std::to_string(log.waiting(p)));
  }
  SimRedis& redis = world_.redis();
  const auto mark = redis.state().GetGeneration(redis.run_id());
  const auto left = redis.state().UnstoredOlderThan(world_.timeline().WallMillis(),
                                                    std::chrono::seconds(10), 1, mark.number);
  if (!left.empty()) {
    Violation("U_LEFT", left.front().message->room.value() + "#" + Show(left.front().place.seq) +
                            " has no row for over 10 s");
  }
}

}  // namespace minichat::sim
