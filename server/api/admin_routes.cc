#include "server/api/admin_routes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/api/bearer.h"
#include "server/api/file_route.h"
#include "server/api/relay_request.h"
#include "server/api/session_routes.h"
#include "server/base/json_writer.h"

namespace minichat::api {
namespace {

using Reply = HttpRoutes::Reply;

// Of the page: the control port of a load generator on the browser's machine, and nothing here.
constexpr const char* kLabConnectSources = "http://127.0.0.1:* http://localhost:*";
constexpr std::array<const char*, 3> kDependencies = {"kafka", "postgres", "redis"};

std::string QuotedArray(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) AppendJsonString(quoted[i], texts[i]);
  return JsonArray(quoted);
}

void AddMode(std::string_view key, const std::string& mode, JsonObject* answer) {
  if (mode.empty()) {
    answer->AddRaw(key, "null");
  } else {
    answer->Add(key, mode);
  }
}

// Threading: key() on any thread, the rest on the core's.
class Admin {
 public:
  Admin(AdminOptions options, Scheduler& core, core::ChatNode& node, MetricsRegistry& metrics)
      : options_(std::move(options)), core_(core), node_(node), metrics_(metrics) {
    for (const char* name : kDependencies) {
      dependencies_.emplace_back(
          name, &metrics.AddGauge("minichat_dependency_up", "1: usable", {{"name", name}}));
    }
  }

  Scheduler& core() const { return core_; }
  const std::string& key() const { return options_.key; }

  std::vector<std::string> Lacking() const;
  HttpResponse Ready() const;
  HttpResponse Metrics();
  HttpResponse Status() const;
  HttpResponse Mode() const;
  void SetMode(const HttpRequest& request, const Reply& reply);

 private:
  const AdminOptions options_;
  Scheduler& core_;
  core::ChatNode& node_;
  MetricsRegistry& metrics_;
  std::vector<std::pair<std::string, Gauge*>> dependencies_;
};

std::vector<std::string> Admin::Lacking() const {
  std::vector<std::string> lacking = node_.lacking();
  for (std::string& more : options_.also_lacking()) {
    if (std::find(lacking.begin(), lacking.end(), more) == lacking.end()) {
      lacking.push_back(std::move(more));
    }
  }
  return lacking;
}

HttpResponse Admin::Ready() const {
  const std::vector<std::string> lacking = Lacking();
  if (lacking.empty()) return JsonResponse(200, R"({"ready":true})");
  return JsonResponse(
      503, JsonObject().Add("ready", false).AddRaw("lacking", QuotedArray(lacking)).Take());
}

HttpResponse Admin::Metrics() {
  const std::vector<std::string> lacking = node_.lacking();
  for (const auto& [name, up] : dependencies_) {
    const bool is_up = std::find(lacking.begin(), lacking.end(), name) == lacking.end();
    up->Set(is_up ? 1 : 0);
  }
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics_.Serialize();
  return response;
}

HttpResponse Admin::Status() const {
  std::vector<std::string> nodes;
  for (const core::NodeEntry& entry : node_.live_nodes()) {
    nodes.push_back(JsonObject()
                        .Add("name", entry.name.value())
                        .Add("incarnation", entry.incarnation.value())
                        .Add("relay", entry.relay_address)
                        .Take());
  }
  return JsonResponse(200, JsonObject()
                               .Add("node", node_.self().name.value())
                               .Add("incarnation", node_.self().incarnation.value())
                               .Add("ready", Lacking().empty())
                               .AddRaw("lacking", QuotedArray(Lacking()))
                               .Add("sessions", std::uint64_t{node_.session_count()})
                               .Add("relay_mode", options_.relay_mode())
                               .AddRaw("live_nodes", JsonArray(nodes))
                               .Take());
}

HttpResponse Admin::Mode() const {
  JsonObject answer;
  answer.Add("mode", options_.relay_mode());
  AddMode("cluster_mode", options_.cluster_mode(), &answer);
  return JsonResponse(200, answer.Take());
}

void Admin::SetMode(const HttpRequest& request, const Reply& reply) {
  const Result<std::string> mode = ParseRelayRequest(request.body, options_.relay_modes);
  if (!mode.ok()) return reply(ErrorResponse(400, mode.status().message()));
  node_.SetRelayMode(*mode, [reply](const Result<core::RelayModeSetting>& setting) {
    if (!setting.ok()) return reply(ErrorResponse(503, setting.status().message()));
    JsonObject answer;
    AddMode("mode", setting->mode, &answer);
    reply(JsonResponse(200, answer.Add("version", setting->version).Take()));
  });
}

using AdminPtr = std::shared_ptr<Admin>;

// Runs `answer` on the core's thread.
Router::Handler OnCore(const AdminPtr& admin, HttpResponse (*answer)(Admin&)) {
  return [admin, answer](const HttpRequest&, const Reply& reply) {
    admin->core().Post([admin, answer, reply] { reply(answer(*admin)); });
  };
}

// Without a key anyone on the admin listener may.
Router::Handler WithKey(const AdminPtr& admin, Router::Handler handler) {
  if (admin->key().empty()) return handler;
  return WithBearer({admin->key()}, "admin.key", std::move(handler));
}

// A page in an operator's browser can send to this listener, a plain POST even without asking
// first. Browsers say where such a request comes from; other programs do not.
Router::Handler NotFromPages(Router::Handler handler) {
  return [handler = std::move(handler)](const HttpRequest& request, const Reply& reply) {
    if (!request.headers.contains("origin")) return handler(request, reply);
    reply(ErrorResponse(403, "origin: web pages may change nothing here"));
  };
}

}  // namespace

std::unique_ptr<Router> MakeAdminRoutes(AdminOptions options, Scheduler& core, core::ChatNode& node,
                                        MetricsRegistry& metrics) {
  auto router = std::make_unique<Router>();
  for (const StaticFile& file : options.lab_page) {
    AddFileRoute(file, kLabConnectSources, router.get());
  }
  const auto admin = std::make_shared<Admin>(std::move(options), core, node, metrics);
  router->Add("GET", "/healthz", [](const HttpRequest&, const Reply& reply) {
    reply(JsonResponse(200, R"({"alive":true})"));
  });
  router->Add("GET", "/readyz", OnCore(admin, [](Admin& a) { return a.Ready(); }));
  router->Add("GET", "/metrics", OnCore(admin, [](Admin& a) { return a.Metrics(); }));
  router->Add("GET", "/admin/v1/status",
              WithKey(admin, OnCore(admin, [](Admin& a) { return a.Status(); })));
  router->Add("GET", "/admin/v1/relay",
              WithKey(admin, OnCore(admin, [](Admin& a) { return a.Mode(); })));
  const auto change = [&](const std::string& method, const std::string& path,
                          Router::Handler handler) {
    router->Add(method, path, NotFromPages(WithKey(admin, std::move(handler))));
  };
  change("PUT", "/admin/v1/relay", [admin](const HttpRequest& request, const Reply& reply) {
    admin->core().Post([admin, request, reply] { admin->SetMode(request, reply); });
  });
  const SessionRoutes sessions(core, node);
  router->Add("GET", "/admin/v1/sessions", WithKey(admin, sessions.List()));
  change("DELETE", "/admin/v1/sessions/{session}", sessions.KickSession());
  change("DELETE", "/admin/v1/users/{user}/sessions", sessions.KickUser());
  change("POST", "/admin/v1/users/{user}/revoke", sessions.Revoke());
  return router;
}

}  // namespace minichat::api
