#include "server/core/presence_tracker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/core/make_event.h"

namespace minichat::core {
namespace {

constexpr Duration kBetweenTurns = std::chrono::milliseconds(2);  // what was told can leave

void MakeSet(std::vector<UserId>* users) {
  std::sort(users->begin(), users->end());
  users->erase(std::unique(users->begin(), users->end()), users->end());
}

bool Contains(const std::vector<UserId>& users, const UserId& user) {
  return std::binary_search(users.begin(), users.end(), user);
}

}  // namespace

// ---- What the sweep brings

void PresenceTracker::OnSweep() {
  reads_left_ = kReadsPerSweep;
  std::erase_if(rooms_, [this](const auto& entry) {
    const auto& [id, room] = entry;
    return !room.reading && !room.telling && !table_.Find(id);
  });
  StartReads();
}

void PresenceTracker::OnHead(const RoomId& id, const RoomHead& head) {
  if (node_.options.presence_sessions == 0) return;
  Room& room = rooms_[id];
  room.crowded = head.routes > node_.options.presence_sessions;
  if (room.crowded) {
    room.version = 0;
    room.seats.clear();
    return;
  }
  if (head.route_version != room.version) return WantRead(id, room);
  Compare(room, {});
  TellWhatIsDue(id, room);
}

void PresenceTracker::OnShown(const RoomId& id, const RoomRoutes& routes) {
  if (IsCrowded(id) || routes.routes.size() > node_.options.presence_sessions) return;
  Room& room = rooms_[id];
  OnRoutes(id, room, routes);
  for (auto& [user, change] : room.changes) change.shown = true;
}

void PresenceTracker::OnGeneration() {
  for (auto& [id, room] : rooms_) room.version = 0;
}

// ---- Reading routes

void PresenceTracker::WantRead(const RoomId& id, Room& room) {
  if (std::exchange(room.reading, true)) return;
  to_read_.push_back(id);
  StartReads();
}

void PresenceTracker::StartReads() {
  // A read that fails at once comes back here from within.
  if (std::exchange(starting_reads_, true)) return;
  while (reading_ < kReadsAtOnce && reads_left_ > 0 && !to_read_.empty()) {
    ++reading_;
    --reads_left_;
    RoomId id = std::move(to_read_.front());
    to_read_.pop_front();
    node_.tasks.Spawn(Read(std::move(id)));
  }
  starting_reads_ = false;
}

Task<void> PresenceTracker::Read(RoomId id) {
  const Generation generation = membership_.generation();
  node_.metrics().presence_reads.Increment();
  auto routes = co_await DirectoryCall<Result<RoomRoutes>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Routes(id, generation, deadline, std::move(done));
      });
  --reading_;
  Room& room = rooms_[id];
  room.reading = false;
  if (routes.ok() && generation == membership_.generation()) OnRoutes(id, room, routes.value());
  StartReads();
}

void PresenceTracker::OnRoutes(const RoomId& id, Room& room, const RoomRoutes& routes) {
  room.version = routes.version;  // 0 of a cold room: it will be read again
  room.live = 0;
  const std::vector<Seats> before = std::exchange(room.seats, {});
  for (const Route& route : routes.routes) {
    const auto same = std::find_if(room.seats.begin(), room.seats.end(), [&](const Seats& seats) {
      return seats.incarnation == route.incarnation && seats.node == route.node;
    });
    if (same != room.seats.end()) {
      same->users.push_back(route.user);
    } else {
      room.seats.push_back({route.node, route.incarnation, {route.user}});
    }
  }
  for (Seats& seats : room.seats) MakeSet(&seats.users);
  Compare(room, before);
  TellWhatIsDue(id, room);
}

std::vector<std::pair<NodeName, Incarnation>> PresenceTracker::OtherNodes(const RoomId& id) const {
  std::vector<std::pair<NodeName, Incarnation>> others;
  const auto it = rooms_.find(id);
  if (it == rooms_.end()) return others;
  for (const Seats& seats : it->second.seats) {
    if (seats.node == membership_.self().name) continue;
    if (!membership_.IsLive(seats.node, seats.incarnation)) continue;
    others.emplace_back(seats.node, seats.incarnation);
  }
  return others;
}

bool PresenceTracker::IsCrowded(const RoomId& id) const {
  const auto it = rooms_.find(id);
  if (node_.options.presence_sessions == 0) return true;
  return it != rooms_.end() && it->second.crowded;
}

// ---- What has changed

PresenceTracker::Users PresenceTracker::Present(const Room& room) const {
  Users present;
  for (const Seats& seats : room.seats) {
    if (!membership_.IsLive(seats.node, seats.incarnation)) continue;
    present.insert(present.end(), seats.users.begin(), seats.users.end());
  }
  MakeSet(&present);
  return present;
}

void PresenceTracker::Compare(Room& room, const std::vector<Seats>& before) {
  // Before this incarnation's first beat nothing is known of the others.
  const NodeEntry& self = membership_.self();
  if (!membership_.IsLive(self.name, self.incarnation)) return;
  if (room.live == membership_.live_epoch()) return;
  room.live = membership_.live_epoch();
  Users present = Present(room);
  if (!std::exchange(room.known, true)) {
    room.told = std::move(present);  // nobody here has been told or shown anything
    return;
  }
  ReviseChanges(room, present);
  AddChanges(room, present, before);
}

void PresenceTracker::ReviseChanges(Room& room, const Users& present) {
  for (auto it = room.changes.begin(); it != room.changes.end();) {
    auto& [user, change] = *it;
    const bool online = Contains(present, user);
    if (online == change.online) {
      if (IsLost(change)) change.due = std::min(change.due, DueOf(change));
      ++it;
    } else if (!change.shown) {
      it = room.changes.erase(it);
    } else {
      // Who was shown the other state is told; to the others it is no news.
      const bool news = online != Contains(room.told, user);
      change = {online, news ? node_.now() + node_.options.presence_hold : node_.now(), true, {}};
      ++it;
    }
  }
}

void PresenceTracker::AddChanges(Room& room, const Users& present,
                                 const std::vector<Seats>& before) {
  Users differing;
  std::set_symmetric_difference(present.begin(), present.end(), room.told.begin(), room.told.end(),
                                std::back_inserter(differing));
  for (const UserId& user : differing) {
    Change change;
    change.online = Contains(present, user);
    for (const std::vector<Seats>* known : {&before, &std::as_const(room.seats)}) {
      for (const Seats& seats : *known) {
        if (!change.online && Contains(seats.users, user)) change.from.push_back(seats.node);
      }
    }
    change.due = DueOf(change);
    room.changes.try_emplace(user, std::move(change));
  }
}

// Nobody lives under the names of the nodes where the user was.
bool PresenceTracker::IsLost(const Change& change) const {
  const auto& live = membership_.live_nodes();
  const auto lives = [&live](const NodeName& name) {
    return std::any_of(live.begin(), live.end(),
                       [&name](const NodeEntry& entry) { return entry.name == name; });
  };
  return !change.from.empty() && std::none_of(change.from.begin(), change.from.end(), lives);
}

TimePoint PresenceTracker::DueOf(const Change& change) const {
  const TimePoint held = node_.now() + node_.options.presence_hold;
  if (change.online) return held;
  // While this node was away from the directory the others may have been so, too: they are given
  // their time to come back.
  const TimePoint settled = membership_.ready_since() + node_.options.directory.node_ttl;
  return std::max(IsLost(change) ? node_.now() : held, settled);
}

// ---- Telling

void PresenceTracker::TellWhatIsDue(const RoomId& id, Room& room) {
  const TimePoint now = node_.now();
  const bool any = std::any_of(room.changes.begin(), room.changes.end(),
                               [now](const auto& entry) { return entry.second.due <= now; });
  if (!any || std::exchange(room.telling, true)) return;
  to_tell_.push_back(id);
  if (!std::exchange(telling_, true)) node_.tasks.Spawn(TellLoop());
}

Task<void> PresenceTracker::TellLoop() {
  while (!to_tell_.empty()) {
    std::size_t notices = 0;
    std::size_t frames = 0;
    while (!to_tell_.empty() && notices < kNoticesPerTurn && frames < kFramesPerTurn) {
      const RoomId id = std::move(to_tell_.front());
      to_tell_.pop_front();
      Room& room = rooms_[id];
      room.telling = false;
      TellSome(id, room, &notices, &frames);
    }
    co_await Sleep(node_.scheduler(), kBetweenTurns);
  }
  telling_ = false;
}

void PresenceTracker::TellSome(const RoomId& id, Room& room, std::size_t* notices,
                               std::size_t* frames) {
  const TimePoint now = node_.now();
  for (auto it = room.changes.begin(); it != room.changes.end();) {
    const auto& [user, change] = *it;
    if (change.due > now) {
      ++it;
      continue;
    }
    if (*notices >= kNoticesPerTurn || *frames >= kFramesPerTurn) return TellWhatIsDue(id, room);
    *frames += Tell(id, user, change.online);
    ++*notices;
    const auto place = std::lower_bound(room.told.begin(), room.told.end(), user);
    const bool was_online = place != room.told.end() && *place == user;
    if (change.online && !was_online) room.told.insert(place, user);
    if (!change.online && was_online) room.told.erase(place);
    it = room.changes.erase(it);
  }
}

std::size_t PresenceTracker::Tell(const RoomId& id, const UserId& user, bool online) const {
  const auto sequencer = table_.Find(id);
  if (!sequencer) return 0;
  const auto kind = online ? Notice::Kind::kOnline : Notice::Kind::kOffline;
  const NoticePtr notice = MakeNotice(kind, id, user, node_.ports.encoder);
  node_.metrics().presence_changes.Increment();
  std::size_t told = 0;
  for (const SessionPtr& session : sequencer->sessions()) {
    // Nobody needs to hear of oneself.
    if (session->corked || session->user == user) continue;
    session->link->Tell(notice);
    ++told;
  }
  return told;
}

}  // namespace minichat::core
