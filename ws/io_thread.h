#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/base/http_routes.h"
#include "server/base/scheduler.h"
#include "ws/connection_limits.h"
#include "ws/flush_list.h"
#include "ws/frame.h"
#include "ws/options.h"
#include "ws/ws_metrics.h"

namespace minichat::ws {

struct ClientContext;

// A connection, as its I/O thread looks after it.
//
// Threading: confined to its I/O thread.
class Tended {
 public:
  explicit Tended(const PeerKey& peer) : peer_(peer) {}
  virtual ~Tended() = default;
  // Whose it is.
  const PeerKey& peer() const { return peer_; }
  virtual void OnTick(std::chrono::steady_clock::time_point now) = 0;
  // Ends by itself soon: what is under way is answered first.
  virtual void Leave() = 0;
  // Ends now.
  virtual void Cut() = 0;
  // The thread has run its last turn: lets go of what only a further one would have ended.
  virtual void Abandon() {}

 private:
  const PeerKey peer_;
};

// What all connections of one listener share.
//
// Lifetime:  shared with the connections; what it refers to outlives the io_contexts.
// Threading: options immutable; counters thread-safe; `on_empty` is called on the core's scheduler.
struct ServerContext {
  ServerOptions options;
  Scheduler& core;
  HttpRoutes& routes;
  std::shared_ptr<WsMetrics> metrics;
  ConnectionLimits limits{options};
  std::shared_ptr<ClientContext> clients = nullptr;  // null: no WebSocket here
  std::atomic<std::size_t> connections{0};
  std::atomic<bool> leaving{false};
  std::function<void()> on_empty = nullptr;
};

// One I/O thread's connections of one listener. A single timer looks after all their time limits;
// it runs only while there is a connection.
//
// Threading: confined to the thread that runs `io`, but for the constructor, index() and io().
class IoThread {
 public:
  IoThread(std::size_t index, boost::asio::io_context& io, std::shared_ptr<ServerContext> context)
      : index_(index), io_(io), context_(std::move(context)), timer_(io), flush_list_(io) {}
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  // 0: this is also the core's thread.
  std::size_t index() const { return index_; }
  boost::asio::io_context& io() const { return io_; }
  ServerContext& context() const { return *context_; }
  FlushList& flush_list() { return flush_list_; }
  // The ping that all connections share.
  const Frame& ping_frame() const { return ping_frame_; }

  // The connection was counted when it was accepted.
  void Add(const std::shared_ptr<Tended>& connection);
  // `gone`: the connection is over, not merely turned into another kind.
  void Remove(Tended* connection, bool gone);
  void LeaveAll();
  void CutAll();
  // Runs `work` on the core's thread: at once when this is it.
  void RunOnCore(Scheduler::Work work);

 private:
  using Connections = std::map<Tended*, std::weak_ptr<Tended>>;

  void CountGone(const PeerKey& peer);
  void ForEach(const std::function<void(Tended&)>& visit);
  void ArmTick();

  const std::size_t index_;
  boost::asio::io_context& io_;
  const std::shared_ptr<ServerContext> context_;
  const Frame ping_frame_ = std::make_shared<const std::string>(PingFrame());
  boost::asio::steady_timer timer_;
  FlushList flush_list_;
  bool ticking_ = false;
  Connections connections_;
};

}  // namespace minichat::ws
