#include "server/app/app.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "relay/grpc_relay.h"
#include "relay/relay_server.h"
#include "server/api/admin_routes.h"
#include "server/api/client_routes.h"
#include "server/app/backends.h"
#include "server/app/config_rules.h"
#include "server/app/config_values.h"
#include "server/app/io_threads.h"
#include "server/app/lab_parts.h"
#include "server/app/late_receiver.h"
#include "server/app/process.h"
#include "server/app/startup_checks.h"
#include "server/app/step_sequence.h"
#include "server/app/token_auth.h"
#include "server/base/asio_scheduler.h"
#include "server/base/log.h"
#include "server/core/chat_node.h"
#include "server/core/core_metrics.h"
#include "web/page.h"
#include "ws/codec.h"
#include "ws/server.h"

namespace minichat::app {
namespace {

using std::chrono::milliseconds;

// Of an orderly stop; together below 10 s.
constexpr Duration kCloseClients = milliseconds(2'500);
constexpr Duration kStopNode = milliseconds(3'500);
constexpr Duration kStopRelay = milliseconds(500);
constexpr Duration kFlushLog = milliseconds(2'500);
constexpr Duration kCloseAdmin = milliseconds(500);

constexpr std::size_t kAdminConnections = 100;

// What no client gets of the descriptors.
std::uint64_t SpareDescriptors(const AppConfig& config) {
  return std::min(config.limits_spare_descriptors, DescriptorLimit() / 4);
}

// A client's descriptor is below it. The system gives out the lowest free one, so whatever else the
// process has open, so many are left above.
int ClientDescriptorsEnd(const AppConfig& config) {
  const std::uint64_t end = DescriptorLimit() - SpareDescriptors(config);
  return static_cast<int>(std::min<std::uint64_t>(end, std::numeric_limits<int>::max()));
}

void TellOfFewDescriptors(const AppConfig& config) {
  if (config.limits_sessions + SpareDescriptors(config) < DescriptorLimit()) return;
  log::Info("few_descriptors", {{"limit", DescriptorLimit()},
                                {"spare", SpareDescriptors(config)},
                                {"limits.sessions", config.limits_sessions},
                                {"note", "client connections are refused before limits.sessions"}});
}

relay::RelayMode ModeOf(const AppConfig& config) {
  return *relay::ParseRelayMode(config.relay_mode);  // the option table has checked it
}

// The failure together with the key that it is about.
Status At(const std::string& key, const Status& status) {
  return status.ok() ? status : Status(status.code(), key + ": " + status.message());
}

}  // namespace

// In the order in which the parts depend on each other; destroyed in reverse.
struct App::Impl {
  explicit Impl(AppConfig app_config)
      : config(std::move(app_config)),
        io(config.io_threads),
        scheduler(io.first()),
        core_metrics(registry),
        lab_pool(MakeLabPool(config, registry)),
        backends(config, scheduler, registry) {}

  Status Start();
  Status StartRelayServer();
  void MakeRelay();
  void MakeNode();
  void MakeRoutes();
  Status MakeAuthenticator();
  Status StartListeners();
  ws::ServerOptions ListenerOptions(const std::string& address) const;
  ws::ServerOptions ClientListenerOptions() const;
  ws::SessionOptions ClientSessionOptions() const;
  std::vector<StopStep> StopSteps();
  void Stop();

  const AppConfig config;
  MetricsRegistry registry;
  IoThreads io;
  AsioScheduler scheduler;
  core::CoreMetrics core_metrics;
  std::unique_ptr<FedExecutor> lab_pool;                  // null but in the lab
  std::unique_ptr<core::RecipientTasks> recipient_tasks;  // the same
  ws::JsonEventEncoder encoder;
  Backends backends;
  LateReceiver receiver;
  std::unique_ptr<relay::GrpcRelay> relay;
  std::unique_ptr<relay::RelayServer> relay_server;  // null: this node takes no relays
  std::unique_ptr<core::ChatNode> node;
  StartupChecks checks{config, scheduler};
  std::unique_ptr<core::Authenticator> authenticator;  // null: insecure auth
  std::unique_ptr<HttpRoutes> client_routes;
  std::unique_ptr<HttpRoutes> admin_routes;
  std::unique_ptr<ws::Server> client_server;  // null: this node serves no clients
  std::unique_ptr<ws::Server> admin_server;
  bool stopping = false;
  Status end;  // why it had to stop by itself
};

Status App::Impl::Start() {
  AddProcessMetrics(registry);
  Status status = backends.Start();
  if (status.ok()) MakeRelay();
  if (status.ok()) status = StartRelayServer();
  if (!status.ok()) return status;
  MakeNode();
  MakeRoutes();
  status = MakeAuthenticator();
  if (status.ok()) status = StartListeners();
  if (!status.ok()) return status;
  node->Start();
  checks.Start();
  return {};
}

void App::Impl::MakeRelay() {
  relay::GrpcRelayOptions options;
  options.cluster_secret = config.cluster_secret;
  options.mode = ModeOf(config);
  ApplyLab(config, lab_pool.get(), &options);
  relay = std::make_unique<relay::GrpcRelay>(std::move(options), scheduler, registry);
}

Status App::Impl::StartRelayServer() {
  if (config.relay_listen.empty()) return {};
  relay::RelayServerOptions options;
  options.listen = config.relay_listen;
  options.cluster_secret = config.cluster_secret;
  ApplyLab(config, &options);
  relay_server =
      std::make_unique<relay::RelayServer>(std::move(options), scheduler, receiver, registry);
  return relay_server->Start();
}

void App::Impl::MakeNode() {
  core::NodeOptions options;
  options.name = core::NodeName(config.node_name);
  if (relay_server) {
    Address bound = *ParseAddress(config.relay_listen);
    bound.port = static_cast<std::uint16_t>(relay_server->port());
    options.relay_address =
        config.relay_advertise.empty() ? PrintAddress(bound) : config.relay_advertise;
  }
  options.directory = DirectoryLimitsOf(config);
  options.max_waiting_sends = config.limits_waiting_sends;
  options.max_waiting_reads = config.limits_waiting_reads;
  options.outbound_full = [this] {
    return (client_server && client_server->IsFull()) || (lab_pool && lab_pool->filling());
  };
  options.max_sessions = config.limits_sessions;
  options.max_rooms_per_session = config.limits_rooms;
  options.open_rooms = config.rooms_open;
  options.presence_sessions = config.presence_max_sessions;
  options.repair = config.lab_repair == "on";
  options.step_hook = DieAt(config.lab_fault_die);
  if (config.lab_local == "per_recipient") {
    recipient_tasks = std::make_unique<PooledRecipients>(*lab_pool, scheduler);
  }
  node = std::make_unique<core::ChatNode>(
      std::move(options),
      core::NodePorts{scheduler, backends.log(), backends.source(), backends.directory(),
                      backends.store(), backends.room_store(), *relay, encoder, core_metrics,
                      recipient_tasks.get()});
  node->OnNameTaken([this] {
    end = FailedPrecondition("another node took the name " + config.node_name);
    Stop();
  });
  receiver.Set(node.get());
}

ws::ServerOptions App::Impl::ListenerOptions(const std::string& address) const {
  const Address where = *ParseAddress(address);  // the option table has checked it
  ws::ServerOptions options;
  options.host = where.host;
  options.port = where.port;
  return options;
}

ws::ServerOptions App::Impl::ClientListenerOptions() const {
  ws::ServerOptions options = ListenerOptions(config.client_listen);
  options.max_connections = config.limits_sessions;
  options.max_descriptor = ClientDescriptorsEnd(config);
  options.address_connections = config.limits_address_connections;
  options.address_handshakes_per_s = config.limits_address_handshakes_per_s;
  options.handshakes_per_s = config.limits_handshakes_per_s;
  options.limit_loopback = config.limits_loopback;
  options.allowed_origins = config.client_origins;
  options.outbound.bytes = config.limits_queue_bytes;
  options.outbound.frames = config.limits_queue_events;
  options.outbound.node_bytes = config.limits_node_queue_bytes;
  options.coalesce = config.lab_coalesce;
  return options;
}

ws::SessionOptions App::Impl::ClientSessionOptions() const {
  ws::SessionOptions options;
  options.insecure_auth = config.auth_insecure;
  options.max_rooms = config.limits_rooms;
  options.messages_per_s = config.limits_messages_per_s;
  options.user_sessions = config.limits_user_sessions;
  options.user_messages_per_s = config.limits_user_messages_per_s > 0
                                    ? config.limits_user_messages_per_s
                                    : 2 * config.limits_messages_per_s;
  options.drain = std::chrono::duration_cast<milliseconds>(kCloseClients) / 2;
  return options;
}

void App::Impl::MakeRoutes() {
  client_routes = api::MakeClientRoutes(
      web::PageFiles(), {SplitList(config.api_keys), scheduler, *node, ws::EncodeMessage});
  api::AdminOptions options;
  options.key = config.admin_key;
  if (!CanStream(config)) std::erase(options.relay_modes, "stream");
  options.lab_page = web::LabFiles();
  options.relay_mode = [this] { return std::string(relay::ToString(relay->mode())); };
  options.cluster_mode = [this] { return relay->cluster_mode(); };
  options.also_lacking = [this] {
    return stopping ? std::vector<std::string>{"stopping"} : checks.lacking();
  };
  admin_routes = api::MakeAdminRoutes(std::move(options), scheduler, *node, registry);
}

Status App::Impl::MakeAuthenticator() {
  if (config.auth_insecure || !config.HasRole("chat")) return {};
  Result<auth::TokenKey> key = VerifyingKey(config);
  if (!key.ok()) return At("auth", key.status());
  authenticator = std::make_unique<auth::TokenVerifier>(std::move(*key), TokenRulesOf(config));
  return {};
}

Status App::Impl::StartListeners() {
  ws::ServerOptions admin = ListenerOptions(config.admin_listen);
  // The other half is for links to back ends.
  admin.max_connections = std::min<std::uint64_t>(kAdminConnections, SpareDescriptors(config) / 2);
  admin_server = std::make_unique<ws::Server>(
      std::move(admin), ws::ServerDeps{scheduler, io.all(), *admin_routes, registry});
  if (Status status = admin_server->Start(); !status.ok()) return At("admin.listen", status);
  if (!config.HasRole("chat")) return {};
  client_server = std::make_unique<ws::Server>(
      ClientListenerOptions(),
      ws::ServerDeps{scheduler, io.all(), *client_routes, registry, authenticator.get()},
      ClientSessionOptions(), *node);
  TellOfFewDescriptors(config);
  return At("client.listen", client_server->Start());
}

std::vector<StopStep> App::Impl::StopSteps() {
  using Done = std::function<void()>;
  return {
      {"close_clients", kCloseClients,
       [this](Deadline deadline, Done done) {
         if (client_server) return client_server->CloseAll(deadline, std::move(done));
         done();
       }},
      {"stop_node", kStopNode,
       [this](Deadline deadline, Done done) { node->Stop(deadline, std::move(done)); }},
      {"stop_relay", kStopRelay,
       [this](Deadline, const Done& done) {
         if (relay_server) relay_server->Shutdown(kStopRelay / 2);
         relay->Stop(kStopRelay / 2);
         if (lab_pool) lab_pool->Stop();
         done();
       }},
      {"flush_log", kFlushLog,
       [this](Deadline, const Done& done) {
         backends.Stop(kFlushLog);
         done();
       }},
      {"close_admin", kCloseAdmin,
       [this](Deadline deadline, Done done) { admin_server->CloseAll(deadline, std::move(done)); }},
  };
}

void App::Impl::Stop() {
  if (std::exchange(stopping, true)) return;
  RunSteps(scheduler, StopSteps(), [this] { io.Stop(); });
}

App::App(AppConfig config) : impl_(std::make_unique<Impl>(std::move(config))) {}
App::~App() = default;

Status App::Start() {
  return impl_->Start();
}

BoundPorts App::ports() const {
  BoundPorts ports;
  if (impl_->client_server) ports.client = impl_->client_server->port();
  ports.admin = impl_->admin_server->port();
  if (impl_->relay_server) ports.relay = static_cast<std::uint16_t>(impl_->relay_server->port());
  return ports;
}

Status App::Run() {
  impl_->io.Run();
  return impl_->end;
}

void App::Stop() {
  impl_->Stop();
}

void App::Apply(const AppConfig& config) {
  impl_->relay->SetConfiguredMode(ModeOf(config));
}

boost::asio::io_context& App::io() {
  return impl_->io.first();
}

}  // namespace minichat::app
