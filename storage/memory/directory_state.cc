#include "storage/memory/directory_state.h"

#include <chrono>
#include <set>

namespace minichat::memory {
namespace {

// Routes that one CleanDeadRoutes() removes at most: a script must not hold up the others.
constexpr std::size_t kMaxRoutesPerClean = 1000;

std::int64_t ToMillis(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// A version that no node has in its cache from an earlier life of the room: the lease's token is
// random, and so is its hash. Never 0; leaves room to count up below 2^53.
std::uint64_t VersionFrom(const std::string& token) {
  return (std::hash<std::string>()(token) >> 24) + 1;
}

}  // namespace

using core::Generation;
using core::NodeIdentity;
using core::RoomId;

DirectoryState::DirectoryState(core::DirectoryLimits limits, core::ProtocolRules rules)
    : limits_(limits), rules_(rules) {}

// ---- Generations

core::GenerationMark DirectoryState::GetGeneration(const std::string& run_id) const {
  return mark_.run_id == run_id ? mark_ : core::GenerationMark{};
}

core::GenerationMark DirectoryState::SetGeneration(std::int64_t now_ms, const std::string& run_id,
                                                   Generation number,
                                                   const core::GenerationMark& seen) {
  if (GetGeneration(run_id) == seen || !rules_.first) mark_ = {run_id, number, now_ms};
  return GetGeneration(run_id);
}

// ---- Nodes

const DirectoryState::Node* DirectoryState::FindNode(std::int64_t now_ms,
                                                     const core::NodeName& name,
                                                     Generation generation) const {
  const auto it = nodes_.find(name);
  if (it == nodes_.end() || it->second.expires_at_ms <= now_ms) return nullptr;
  if (rules_.nodegen && it->second.generation != generation) return nullptr;
  return &it->second;
}

core::RegisterOutcome DirectoryState::Register(std::int64_t now_ms, const NodeIdentity& node) {
  const std::int64_t ttl = ToMillis(limits_.node_ttl);
  const Node* holder = FindNode(now_ms, node.entry.name, node.generation);
  if (holder != nullptr && holder->entry.incarnation != node.entry.incarnation) {
    const std::int64_t last_beat = holder->expires_at_ms - ttl;
    if (now_ms - last_beat < 2 * ToMillis(limits_.heartbeat)) return core::RegisterOutcome::kTaken;
  }
  nodes_[node.entry.name] = {node.entry, node.generation, now_ms + ttl};
  return core::RegisterOutcome::kOk;
}

core::HeartbeatReply DirectoryState::Heartbeat(std::int64_t now_ms, const NodeIdentity& node) {
  using Outcome = core::HeartbeatReply::Outcome;
  const Node* present = FindNode(now_ms, node.entry.name, node.generation);
  const bool is_over = rules_.beatgen && mark_.number != node.generation;
  if (present == nullptr || is_over) return {Outcome::kGone, {}, relay_mode_, access_version_};
  if (present->entry.incarnation != node.entry.incarnation) {
    return {Outcome::kTaken, {}, relay_mode_, access_version_};
  }
  nodes_[node.entry.name] = {node.entry, node.generation, now_ms + ToMillis(limits_.node_ttl)};

  core::HeartbeatReply reply{Outcome::kOk, {}, relay_mode_, access_version_};
  for (const auto& [name, unused] : nodes_) {
    if (const Node* live = FindNode(now_ms, name, node.generation)) {
      reply.live_nodes.push_back(live->entry);
    }
  }
  return reply;
}

void DirectoryState::Unregister(const NodeIdentity& node) {
  const auto it = nodes_.find(node.entry.name);
  if (it != nodes_.end() && it->second.entry.incarnation == node.entry.incarnation) {
    nodes_.erase(it);
  }
}

core::RelayModeSetting DirectoryState::SetRelayMode(const std::string& mode) {
  relay_mode_ = {relay_mode_.version + 1, mode};
  return relay_mode_;
}

std::uint64_t DirectoryState::AddAccessChange(const core::AccessChange& change) {
  access_changes_.push_back(change);
  if (access_changes_.size() > limits_.access_changes) access_changes_.pop_front();
  return ++access_version_;
}

core::AccessNews DirectoryState::AccessChangesAfter(std::uint64_t version) const {
  core::AccessNews news{access_version_, version <= access_version_, {}};
  if (!news.complete) return news;
  const std::uint64_t wanted = access_version_ - version;
  news.complete = wanted <= access_changes_.size();
  const auto known =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(wanted, access_changes_.size()));
  news.changes.assign(access_changes_.end() - known, access_changes_.end());
  return news;
}

void DirectoryState::CleanDeadRoutes(std::int64_t now_ms, Generation generation) {
  for (auto it = rooms_.begin(); it != rooms_.end();) {
    const auto next = std::next(it);
    if (it->second.expires_at_ms && *it->second.expires_at_ms <= now_ms) RemoveRoom(it);
    it = next;
  }
  std::erase_if(leases_, [&](const auto& lease) { return lease.second.expires_at_ms <= now_ms; });
  ForgetExpiredKnown(now_ms);
  if (mark_.number != generation) return;

  std::set<core::Incarnation> live;
  for (const auto& [name, unused] : nodes_) {
    if (const Node* node = FindNode(now_ms, name, generation)) live.insert(node->entry.incarnation);
  }
  std::size_t removed = 0;
  for (auto it = routes_.begin(); it != routes_.end() && removed < kMaxRoutesPerClean;) {
    const std::size_t dead = std::erase_if(
        it->second, [&](const auto& route) { return !live.contains(route.second.incarnation); });
    Room* room = dead > 0 ? Find(now_ms, it->first, generation) : nullptr;
    if (room != nullptr) ++room->route_version;
    removed += dead;
    it = it->second.empty() ? routes_.erase(it) : std::next(it);
  }
}

// ---- Routes

core::JoinOutcome DirectoryState::Join(std::int64_t now_ms, const RoomId& id,
                                       const core::Route& route, Generation generation) {
  Room* room = Find(now_ms, id, generation);
  if (room == nullptr) return {.cold = true};
  routes_[id][route.session] = route;
  return {false, room->head, ++room->route_version};
}

void DirectoryState::Leave(std::int64_t now_ms, const RoomId& id, const core::SessionId& session,
                           const core::NodeName& node, Generation generation) {
  const auto routes = routes_.find(id);
  if (routes == routes_.end()) return;
  const auto route = routes->second.find(session);
  if (route == routes->second.end() || route->second.node != node) return;
  routes->second.erase(route);
  if (routes->second.empty()) routes_.erase(routes);
  if (Room* room = Find(now_ms, id, generation)) ++room->route_version;
}

void DirectoryState::Reroute(std::int64_t now_ms, const RoomId& id,
                             const std::vector<core::Route>& routes, Generation generation) {
  if (routes.empty()) return;
  for (const core::Route& route : routes) routes_[id][route.session] = route;
  if (Room* room = Find(now_ms, id, generation)) ++room->route_version;
}

core::RoomRoutes DirectoryState::Routes(std::int64_t now_ms, const RoomId& id,
                                        Generation generation) {
  const Room* room = Find(now_ms, id, generation);
  core::RoomRoutes reply{room != nullptr ? room->route_version : 0, {}};
  const auto it = routes_.find(id);
  if (it == routes_.end()) return reply;
  for (const auto& [session, route] : it->second) reply.routes.push_back(route);
  return reply;
}

// ---- Warming

core::LeaseOutcome DirectoryState::Lease(std::int64_t now_ms, const RoomId& id,
                                         const std::string& token, Generation generation) {
  if (Find(now_ms, id, generation) != nullptr) return core::LeaseOutcome::kOpen;
  const auto held = leases_.find(id);
  if (held != leases_.end() && held->second.expires_at_ms > now_ms) {
    return core::LeaseOutcome::kBusy;
  }
  leases_[id] = {token, now_ms + ToMillis(limits_.lease_ttl)};
  return core::LeaseOutcome::kGranted;
}

core::WarmOutcome DirectoryState::Warm(std::int64_t now_ms, const core::WarmRequest& request) {
  if (rules_.warmgen && mark_.number != request.generation) {
    return core::WarmOutcome::kOtherGeneration;
  }
  const auto lease = leases_.find(request.room);
  const bool holds = lease != leases_.end() && lease->second.token == request.lease_token &&
                     lease->second.expires_at_ms > now_ms;
  if (rules_.lease && !holds) return core::WarmOutcome::kLeaseLost;
  if (rules_.stillcold && Find(now_ms, request.room, request.generation) != nullptr) {
    return core::WarmOutcome::kDone;
  }

  // Leftovers of another generation are overwritten, never merged.
  if (const auto old = rooms_.find(request.room); old != rooms_.end()) {
    total_bytes_ -= old->second.bytes;
  }
  Room& room = rooms_[request.room] = Room{};
  const core::Seq floor = core::FloorOf(request.generation, limits_.generation_step);
  room.generation = request.generation;
  room.head = rules_.prevpg ? request.max_seq : std::max(request.max_seq, floor);
  room.route_version = VersionFrom(request.lease_token);
  room.recently_used = request.recently_used;
  room.expires_at_ms = now_ms + ToMillis(limits_.room_ttl);
  if (holds) leases_.erase(lease);
  return core::WarmOutcome::kDone;
}

// ---- Rooms

DirectoryState::Room* DirectoryState::Find(std::int64_t now_ms, const RoomId& id,
                                           Generation generation) {
  const auto it = rooms_.find(id);
  if (it == rooms_.end()) return nullptr;
  if (it->second.expires_at_ms && *it->second.expires_at_ms <= now_ms) {
    RemoveRoom(it);
    return nullptr;
  }
  return it->second.generation == generation || !rules_.roomgen ? &it->second : nullptr;
}

void DirectoryState::RemoveRoom(std::map<RoomId, Room>::iterator it) {
  total_bytes_ -= it->second.bytes;
  if (!rules_.routesttl) routes_.erase(it->first);
  rooms_.erase(it);
}

}  // namespace minichat::memory
