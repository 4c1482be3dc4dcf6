#include "server/api/client_routes.h"

#include <utility>

#include "server/api/router.h"

namespace minichat::api {
namespace {

// ws: and wss: stand there because not every browser counts them to 'self'.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws: wss:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

HttpResponse FileResponse(const StaticFile& file) {
  HttpResponse response;
  response.content_type = file.content_type;
  response.body = std::string(file.body);
  response.headers = {{"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", kContentPolicy},
                      {"Referrer-Policy", "no-referrer"},
                      {"X-Content-Type-Options", "nosniff"}};
  return response;
}

}  // namespace

std::unique_ptr<Router> MakeClientRoutes(const std::vector<StaticFile>& page,
                                         const RoomApi& rooms) {
  auto router = std::make_unique<Router>();
  for (const StaticFile& file : page) {
    router->Add("GET", file.path, [file](const HttpRequest&, const HttpRoutes::Reply& reply) {
      reply(FileResponse(file));
    });
  }
  router->Add("GET", "/healthz", [](const HttpRequest&, const HttpRoutes::Reply& reply) {
    reply(JsonResponse(200, R"({"alive":true})"));
  });
  AddRoomRoutes(rooms, router.get());
  return router;
}

}  // namespace minichat::api
