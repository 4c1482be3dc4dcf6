#include "tests/support/memory_node.h"

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "server/base/asio_scheduler.h"
#include "server/core/chat_node.h"
#include "server/core/core_metrics.h"
#include "server/core/moderation.h"
#include "storage/memory/memory_directory.h"
#include "storage/memory/memory_log.h"
#include "storage/memory/memory_room_store.h"
#include "storage/memory/memory_store.h"
#include "tests/support/no_relay.h"
#include "ws/codec.h"
#include "ws/server.h"

namespace minichat::test {
namespace {

constexpr std::chrono::seconds kLimit{10};

// Tells what it was asked; POST /later answers from another thread.
class EchoRoutes final : public HttpRoutes {
 public:
  ~EchoRoutes() override {
    if (thread_.joinable()) thread_.join();
  }
  void Handle(HttpRequest request, Reply reply) override {
    HttpResponse response;
    response.content_type = "text/plain";
    response.body = request.method + " " + request.path + " [" + request.body + "]";
    for (const auto& [key, value] : request.query) response.body += " " + key + "=" + value;
    if (request.headers.count("x-test") != 0) response.body += " x=" + request.headers["x-test"];
    if (request.path != "/later") return reply(std::move(response));
    thread_ = std::thread([reply, response] { reply(response); });
  }

 private:
  std::thread thread_;
};

}  // namespace

MemoryNode::Options::Options() {
  server.tick = std::chrono::milliseconds(10);
  sessions.insecure_auth = true;
  node.name = core::NodeName("n1");
}

struct MemoryNode::Impl {
  explicit Impl(Options given);
  ~Impl();

  // Runs `work` on the core's thread and waits for its end.
  void OnCore(const std::function<void()>& work);
  void CutConnections(ws::Server& of);

  Options options;
  MetricsRegistry registry;
  core::CoreMetrics metrics{registry};
  EchoRoutes routes;
  std::vector<std::unique_ptr<boost::asio::io_context>> io;
  std::unique_ptr<AsioScheduler> scheduler;
  std::unique_ptr<memory::MemoryDirectory> directory;
  std::unique_ptr<memory::MemoryLog> log;
  std::unique_ptr<memory::MemoryStore> store;
  std::unique_ptr<memory::MemoryRoomStore> room_store;
  NoRelay relay;
  ws::JsonEventEncoder encoder;
  std::unique_ptr<core::ChatNode> node;
  std::unique_ptr<ws::Server> server;
  std::unique_ptr<ws::Server> http;
  std::promise<void> closed;
  std::vector<std::thread> threads;
};

MemoryNode::Impl::Impl(Options given) : options(std::move(given)) {
  std::vector<boost::asio::io_context*> contexts;
  for (std::size_t i = 0; i < options.io_threads; ++i) {
    io.push_back(std::make_unique<boost::asio::io_context>(1));
    contexts.push_back(io.back().get());
  }
  scheduler = std::make_unique<AsioScheduler>(*contexts[0]);
  directory = std::make_unique<memory::MemoryDirectory>(*scheduler, options.node.directory);
  log = std::make_unique<memory::MemoryLog>(*scheduler);
  store = std::make_unique<memory::MemoryStore>(*scheduler);
  room_store = std::make_unique<memory::MemoryRoomStore>(*scheduler);
  options.node.outbound_full = [this] { return server && server->IsFull(); };
  node = std::make_unique<core::ChatNode>(
      options.node, core::NodePorts{*scheduler, *log, log.get(), *directory, *store, *room_store,
                                    relay, encoder, metrics});
  const ws::ServerDeps deps{*scheduler, contexts, routes, registry, options.authenticator};
  server = std::make_unique<ws::Server>(options.server, deps, options.sessions, *node);
  http = std::make_unique<ws::Server>(options.server, deps);
  if (!server->Start().ok() || !http->Start().ok()) throw std::runtime_error("no free port");
  node->Start();
  for (boost::asio::io_context* context : contexts) {
    threads.emplace_back([context] {
      const auto work = boost::asio::make_work_guard(*context);
      context->run();
    });
  }
}

MemoryNode::Impl::~Impl() {
  CutConnections(*server);
  CutConnections(*http);
  for (const auto& context : io) context->stop();
  for (std::thread& thread : threads) thread.join();
  server.reset();
  http.reset();
  node.reset();
  // What the connections had under way lives in handlers of the contexts.
  scheduler.reset();
  io.clear();
}

// A connection and its session hold each other until it ends: those still open would leak.
void MemoryNode::Impl::CutConnections(ws::Server& of) {
  auto cut = std::make_shared<std::promise<void>>();
  boost::asio::post(*io[0], [this, &of, cut] {
    of.CloseAll(Deadline::After(*scheduler, Duration::zero()), [cut] { cut->set_value(); });
  });
  cut->get_future().wait_for(kLimit);
}

void MemoryNode::Impl::OnCore(const std::function<void()>& work) {
  std::promise<void> done;
  boost::asio::post(*io[0], [&] {
    work();
    done.set_value();
  });
  if (done.get_future().wait_for(kLimit) != std::future_status::ready) {
    throw std::runtime_error("the core's thread hangs");
  }
}

MemoryNode::MemoryNode(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {
  bool ready = false;
  const auto until = std::chrono::steady_clock::now() + kLimit;
  while (!ready && std::chrono::steady_clock::now() < until) {
    impl_->OnCore([&] { ready = impl_->node->ready(); });
  }
  if (!ready) throw std::runtime_error("the node does not get ready");
}

MemoryNode::~MemoryNode() = default;

std::uint16_t MemoryNode::port() const {
  return impl_->server->port();
}

std::uint16_t MemoryNode::http_port() const {
  return impl_->http->port();
}

double MemoryNode::Metric(const std::string& series) {
  std::istringstream text(impl_->registry.Serialize());
  for (std::string line; std::getline(text, line);) {
    if (line.compare(0, series.size() + 1, series + " ") == 0) {
      return std::stod(line.substr(series.size() + 1));
    }
  }
  return -1;
}

bool MemoryNode::WaitForMetric(const std::string& series, double value) {
  const auto until = std::chrono::steady_clock::now() + kLimit;
  while (Metric(series) != value) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

void MemoryNode::Kick(const std::string& user) {
  impl_->OnCore([&] {
    const core::AccessChange whom{
        core::AccessChange::Kind::kKicked, core::UserId(user), {}, core::SessionId(), 0};
    impl_->node->moderation().Kick(whom, [](const Status&) {});
  });
}

void MemoryNode::StartClosing(std::chrono::milliseconds deadline) {
  impl_->OnCore([&] {
    impl_->http->StopAccepting();
    impl_->server->CloseAll(Deadline::After(*impl_->scheduler, deadline),
                            [this] { impl_->closed.set_value(); });
  });
}

bool MemoryNode::WaitUntilClosed() {
  return impl_->closed.get_future().wait_for(kLimit) == std::future_status::ready;
}

}  // namespace minichat::test
