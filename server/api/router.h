#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "server/base/http_routes.h"

namespace minichat::api {

// {"error": message}
HttpResponse ErrorResponse(int status, std::string_view message);
HttpResponse JsonResponse(int status, std::string json);

// Serves a table of paths and methods; answers 404 and 405 itself.
//
// Lifetime:  Add() all, then serve.
// Threading: Add() by one thread before serving; Handle() thread-safe.
class Router final : public HttpRoutes {
 public:
  using Handler = std::function<void(const HttpRequest& request, Reply reply)>;

  void Add(const std::string& method, const std::string& path, Handler handler);
  void Handle(HttpRequest request, Reply reply) override;

 private:
  using Methods = std::map<std::string, Handler>;
  std::map<std::string, Methods> paths_;
};

}  // namespace minichat::api
