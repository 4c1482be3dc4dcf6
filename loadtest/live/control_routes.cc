#include "loadtest/live/control_routes.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "loadtest/live/live_view_json.h"
#include "server/api/router.h"

namespace minichat::loadtest {
namespace {

constexpr std::string_view kScheme = "http://";

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The whole answer lets this one origin read it, and caches know that others may not.
void Allow(const std::string& origin, HttpResponse* response) {
  response->headers["Access-Control-Allow-Origin"] = origin;
  response->headers["Vary"] = "Origin";
}

HttpResponse Preflight() {
  HttpResponse response;
  response.status = 204;
  response.headers["Access-Control-Allow-Methods"] = "GET, PUT";
  response.headers["Access-Control-Allow-Headers"] = "Content-Type";
  response.headers["Access-Control-Max-Age"] = "600";
  return response;
}

// Stands before the routes and turns away who is not of this machine.
class LoopbackOnly final : public HttpRoutes {
 public:
  explicit LoopbackOnly(std::unique_ptr<HttpRoutes> routes) : routes_(std::move(routes)) {}

  void Handle(HttpRequest request, Reply reply) override {
    const auto host = request.headers.find("host");
    if (host == request.headers.end() || !IsLoopbackHost(host->second)) {
      return reply(api::ErrorResponse(403, "host: only loopback addresses are served"));
    }
    const auto origin = request.headers.find("origin");
    if (origin == request.headers.end()) return routes_->Handle(std::move(request), reply);
    if (!IsLoopbackOrigin(origin->second)) {
      return reply(api::ErrorResponse(403, "origin: only pages of loopback addresses may ask"));
    }
    const Reply answer = [reply, from = origin->second](HttpResponse response) {
      Allow(from, &response);
      reply(std::move(response));
    };
    if (request.method == "OPTIONS") return answer(Preflight());
    routes_->Handle(std::move(request), answer);
  }

 private:
  const std::unique_ptr<HttpRoutes> routes_;
};

// Nothing when `since` is no number.
std::optional<std::int64_t> SinceOf(const HttpRequest& request) {
  const auto it = request.query.find("since");
  if (it == request.query.end()) return 0;
  std::int64_t since = 0;
  const char* end = it->second.data() + it->second.size();
  const auto [read, ec] = std::from_chars(it->second.data(), end, since);
  if (ec != std::errc() || read != end) return std::nullopt;
  return since;
}

}  // namespace

bool IsLoopbackHost(std::string_view host) {
  for (const std::string_view name : {"127.0.0.1", "localhost"}) {
    if (host == name) return true;
    if (host.starts_with(name) && host[name.size()] == ':') {
      return IsPort(host.substr(name.size() + 1));
    }
  }
  return false;
}

bool IsLoopbackOrigin(std::string_view origin) {
  return origin.starts_with(kScheme) && IsLoopbackHost(origin.substr(kScheme.size()));
}

std::unique_ptr<HttpRoutes> MakeControlRoutes(const std::string& label, LiveBoard& board) {
  auto router = std::make_unique<api::Router>();
  const auto state = [label, &board](std::int64_t since) {
    return api::JsonResponse(200, ToJson(label, board.max_members(), board.View(since)));
  };
  router->Add("GET", "/v1/state", [state](const HttpRequest& request, const auto& reply) {
    const auto since = SinceOf(request);
    if (!since) return reply(api::ErrorResponse(400, "since: milliseconds since 1970"));
    reply(state(*since));
  });
  router->Add("PUT", "/v1/settings",
              [state, &board](const HttpRequest& request, const auto& reply) {
                const Status changed = board.Change(request.body);
                if (!changed.ok()) return reply(api::ErrorResponse(400, changed.message()));
                reply(state(std::numeric_limits<std::int64_t>::max()));  // without the seconds
              });
  return std::make_unique<LoopbackOnly>(std::move(router));
}

}  // namespace minichat::loadtest
