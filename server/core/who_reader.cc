#include "server/core/who_reader.h"

#include <algorithm>
#include <map>
#include <utility>

namespace minichat::core {

Task<void> WhoReader::Read(WhoRequest request, Callback<ClientResult<WhoPage>> done) {
  if (waiting_ >= node_.options.max_waiting_whos) {
    done(ClientError{ErrorCode::kOverloaded, "who: too many are asking just now", 1000});
    co_return;
  }
  ++waiting_;
  auto page = co_await ReadPage(std::move(request));
  --waiting_;
  done(std::move(page));
}

Task<ClientResult<WhoPage>> WhoReader::ReadPage(WhoRequest request) {
  const Generation generation = membership_.generation();
  auto routes = co_await DirectoryCall<Result<RoomRoutes>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Routes(request.room, generation, deadline, std::move(done));
      });
  if (routes.ok() && !KnowsAll(*routes)) co_await membership_.Refresh();
  const NodeEntry& self = membership_.self();
  if (!routes.ok() || generation != membership_.generation() ||
      !membership_.IsLive(self.name, self.incarnation)) {
    co_return ClientError{ErrorCode::kUnavailable, "who is in the room can't be told now", 1000};
  }
  presence_.OnShown(request.room, *routes);
  co_return PageOf(request, *routes);
}

// No route is of a node that has just come, or is gone.
bool WhoReader::KnowsAll(const RoomRoutes& routes) const {
  return std::all_of(routes.routes.begin(), routes.routes.end(), [this](const Route& route) {
    return membership_.IsLive(route.node, route.incarnation);
  });
}

WhoPage WhoReader::PageOf(const WhoRequest& request, const RoomRoutes& routes) const {
  const std::size_t limit = std::clamp<std::size_t>(request.limit, 1, kMaxPage);
  std::map<UserId, std::size_t> sessions;  // of the first users, and one more
  for (const Route& route : routes.routes) {
    if (route.user <= request.after) continue;
    if (!membership_.IsLive(route.node, route.incarnation)) continue;
    ++sessions[route.user];
    if (sessions.size() > limit + 1) sessions.erase(std::prev(sessions.end()));
  }
  WhoPage page;
  for (auto& [user, count] : sessions) {
    if (page.users.size() == limit) {
      page.next = page.users.back().first;
      break;
    }
    page.users.emplace_back(user, count);
  }
  return page;
}

}  // namespace minichat::core
