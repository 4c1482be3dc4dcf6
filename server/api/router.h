#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/http_routes.h"
#include "server/core/client_error.h"

namespace minichat::api {

// {"error": message}
HttpResponse ErrorResponse(int status, std::string_view message);
// {"code": …, "error": message}, with the status that fits the code, and Retry-After.
HttpResponse ErrorResponse(const core::ClientError& error);
HttpResponse JsonResponse(int status, std::string json);

// Serves a table of paths and methods; answers 404 and 405 itself. A segment of a path may be a
// parameter, "/rooms/{room}": what stands there is in request.parameters.
//
// Lifetime:  Add() all, then serve.
// Threading: Add() by one thread before serving; Handle() thread-safe.
class Router final : public HttpRoutes {
 public:
  using Handler = std::function<void(const HttpRequest& request, Reply reply)>;

  void Add(const std::string& method, const std::string& path, Handler handler);
  // What it serves, as "GET /rooms/{room}"; docs/openapi.yaml is checked against it.
  std::set<std::string> Routes() const;
  void Handle(HttpRequest request, Reply reply) override;

 private:
  struct Path {
    std::vector<std::string> segments;
    std::map<std::string, Handler> methods;
  };
  // Null: there is nothing.
  Path* Find(HttpRequest* request);

  std::vector<Path> paths_;  // few: looked through in order
};

}  // namespace minichat::api
