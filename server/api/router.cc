#include "server/api/router.h"

#include <utility>

#include "server/base/json_writer.h"

namespace minichat::api {

HttpResponse JsonResponse(int status, std::string json) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(json) + "\n";
  response.headers["Cache-Control"] = "no-store";
  return response;
}

HttpResponse ErrorResponse(int status, std::string_view message) {
  return JsonResponse(status, JsonObject().Add("error", message).Take());
}

void Router::Add(const std::string& method, const std::string& path, Handler handler) {
  paths_[path][method] = std::move(handler);
}

void Router::Handle(HttpRequest request, Reply reply) {
  const auto path = paths_.find(request.path);
  if (path == paths_.end()) return reply(ErrorResponse(404, "there is nothing at this path"));
  const auto method = path->second.find(request.method);
  if (method != path->second.end()) return method->second(request, std::move(reply));
  std::string allowed;
  for (const auto& [name, handler] : path->second) {
    allowed += (allowed.empty() ? "" : ", ") + name;
  }
  HttpResponse response = ErrorResponse(405, "this path takes " + allowed);
  response.headers["Allow"] = allowed;
  reply(std::move(response));
}

}  // namespace minichat::api
