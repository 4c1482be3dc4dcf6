#include "server/core/fan_out.h"

#include <algorithm>
#include <map>
#include <set>

#include "server/core/make_event.h"

namespace minichat::core {
namespace {

double SecondsSince(TimePoint start, TimePoint now) {
  return std::chrono::duration<double>(now - start).count();
}

}  // namespace

Task<void> FanOut::Run(PlacedMessage placed, std::uint64_t route_version, Deadline deadline) {
  const TimePoint start = node_.now();
  const EventPtr event = MakeEvent(placed, node_.ports.encoder);
  DeliverHere(event);
  const CachedRoutesPtr routes = co_await RoutesOf(event->room, route_version);
  if (!routes) co_return;
  std::vector<RemotePtr> unknown;
  for (const RemotePtr& remote : routes->remotes) {
    if (!RelayTo(remote, event, deadline, true)) unknown.push_back(remote);
  }
  if (!unknown.empty()) {
    // A node that has just come, or one that is gone.
    co_await membership_.Refresh();
    for (const RemotePtr& remote : unknown) RelayTo(remote, event, deadline, true);
  }
  node_.metrics().stage_fanout.Observe(SecondsSince(start, node_.now()));
}

void FanOut::DeliverHere(const EventPtr& event) {
  const std::shared_ptr<RoomSequencer> room = rooms_.Find(event->room);
  if (!room) return;
  if (node_.ports.recipient_tasks == nullptr) return room->OnLocalEvent(event);
  for (const SessionPtr& session : room->sessions()) {
    node_.ports.recipient_tasks->Run([weak = std::weak_ptr(room), event, id = session->id] {
      if (const auto alive = weak.lock()) alive->OnLocalEvent(event, id);
    });
  }
}

Task<FanOut::CachedRoutesPtr> FanOut::RoutesOf(RoomId room, std::uint64_t version) {
  const auto it = cache_.find(room);
  if (it != cache_.end() && it->second->version == version) co_return it->second;
  co_return co_await ReadRoutes(room);
}

Task<FanOut::CachedRoutesPtr> FanOut::ReadRoutes(RoomId room) {
  const Generation generation = membership_.generation();
  auto routes = co_await DirectoryCall<Result<RoomRoutes>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Routes(room, generation, deadline, std::move(done));
      });
  if (!routes.ok()) co_return nullptr;
  if (cache_.size() >= kMaxCachedRooms) cache_.clear();
  CachedRoutesPtr grouped = Group(routes.value());
  cache_[room] = grouped;
  co_return grouped;
}

FanOut::CachedRoutesPtr FanOut::Group(const RoomRoutes& routes) const {
  std::map<std::pair<NodeName, Incarnation>, std::vector<SessionId>> by_node;
  for (const Route& route : routes.routes) {
    if (route.node == membership_.self().name) continue;
    by_node[{route.node, route.incarnation}].push_back(route.session);
  }
  auto grouped = std::make_shared<CachedRoutes>();
  grouped->version = routes.version;
  for (auto& [node, sessions] : by_node) {
    Remote remote{node.first, node.second, std::move(sessions)};
    grouped->remotes.push_back(std::make_shared<const Remote>(std::move(remote)));
  }
  return grouped;
}

bool FanOut::RelayTo(const RemotePtr& remote, const EventPtr& event, Deadline deadline,
                     bool may_reroute) {
  if (!membership_.IsLive(remote->node, remote->incarnation)) return false;
  // Results come on the core scheduler, which is stopped before the node ends.
  node_.ports.relay.Deliver(
      remote->node, remote->incarnation, event, remote->sessions, deadline,
      [this, remote, event, deadline, may_reroute](const std::vector<RelayResult>& results) {
        std::vector<SessionId> missing;
        for (std::size_t i = 0; i < results.size() && i < remote->sessions.size(); ++i) {
          if (results[i] == RelayResult::kNotHere) missing.push_back(remote->sessions[i]);
        }
        if (missing.empty() || !may_reroute) return;
        node_.tasks.Spawn(Reroute(event, remote, std::move(missing), deadline));
      });
  return true;
}

Task<void> FanOut::Reroute(EventPtr event, RemotePtr tried, std::vector<SessionId> missing,
                           Deadline deadline) {
  const CachedRoutesPtr fresh = co_await ReadRoutes(event->room);
  if (!fresh || deadline.Passed(node_.now())) co_return;
  const std::set<SessionId> wanted(missing.begin(), missing.end());
  for (const RemotePtr& remote : fresh->remotes) {
    if (remote->node == tried->node && remote->incarnation == tried->incarnation) continue;
    Remote again{remote->node, remote->incarnation, {}};
    std::copy_if(remote->sessions.begin(), remote->sessions.end(),
                 std::back_inserter(again.sessions),
                 [&](const SessionId& session) { return wanted.count(session) != 0; });
    if (again.sessions.empty()) continue;
    node_.metrics().rerouted.Increment(static_cast<double>(again.sessions.size()));
    RelayTo(std::make_shared<const Remote>(std::move(again)), event, deadline, false);
  }
}

}  // namespace minichat::core
