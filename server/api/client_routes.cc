#include "server/api/client_routes.h"

#include <utility>

#include "server/api/file_route.h"
#include "server/api/router.h"

namespace minichat::api {
namespace {

// ws: and wss: stand there because not every browser counts them to 'self'.
constexpr const char* kConnectSources = "'self' ws: wss:";

}  // namespace

std::unique_ptr<Router> MakeClientRoutes(const std::vector<StaticFile>& page,
                                         const RoomApi& rooms) {
  auto router = std::make_unique<Router>();
  for (const StaticFile& file : page) AddFileRoute(file, kConnectSources, router.get());
  router->Add("GET", "/healthz", [](const HttpRequest&, const HttpRoutes::Reply& reply) {
    reply(JsonResponse(200, R"({"alive":true})"));
  });
  AddRoomRoutes(rooms, router.get());
  return router;
}

}  // namespace minichat::api
