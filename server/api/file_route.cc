#include "server/api/file_route.h"

namespace minichat::api {
namespace {

HttpResponse FileResponse(const StaticFile& file, const std::string& connect_sources) {
  HttpResponse response;
  response.content_type = file.content_type;
  response.body = std::string(file.body);
  response.headers = {
      {"Cache-Control", "no-cache"},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src " + connect_sources +
           "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"}};
  return response;
}

}  // namespace

void AddFileRoute(const StaticFile& file, const std::string& connect_sources, Router* router) {
  router->Add("GET", file.path,
              [file, connect_sources](const HttpRequest&, const HttpRoutes::Reply& reply) {
                reply(FileResponse(file, connect_sources));
              });
}

}  // namespace minichat::api
