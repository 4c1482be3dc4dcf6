#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "server/base/asio_scheduler.h"
#include "server/base/http_routes.h"
#include "server/core/chat_node.h"
#include "server/core/core_metrics.h"
#include "storage/memory/memory_directory.h"
#include "storage/memory/memory_log.h"
#include "storage/memory/memory_room_store.h"
#include "storage/memory/memory_store.h"
#include "tests/support/no_relay.h"

// For the tests of server/api.
namespace minichat::api {

// What a test asks.
struct Question {
  std::string method;
  std::string path;
  std::string body = {};
  std::string authorization = {};
  std::map<std::string, std::string> query = {};
  std::string origin = {};
};

// "seq body"
inline std::string PlainJson(const core::PlacedMessage& placed) {
  return "\"" + std::to_string(placed.place.seq) + " " + placed.message->body + "\"";
}

class NoEncoder final : public core::EventEncoder {
 public:
  std::string Encode(const core::PlacedMessage&) const override { return "{}"; }
  std::string EncodeNotice(core::Notice::Kind, const core::RoomId&,
                           const core::UserId&) const override {
    return "{}";
  }
};

// One node in memory, whose thread is the test's.
class MemoryCore {
 public:
  // `open_rooms` as NodeOptions::open_rooms.
  explicit MemoryCore(std::vector<std::string> open_rooms = {"*"})
      : node_(OptionsWith(std::move(open_rooms)), {scheduler_, log_, &log_, directory_, store_,
                                                   room_store_, relay_, encoder_, metrics_}) {}
  ~MemoryCore() { io_.stop(); }

  void Start() {
    node_.Start();
    RunUntil([&] { return node_.ready(); });
  }

  // Runs the core's thread until the condition holds, for 5 s at most.
  template <class Condition>
  void RunUntil(Condition holds) {
    const TimePoint until = scheduler_.Now() + std::chrono::seconds(5);
    while (!holds() && scheduler_.Now() < until) {
      io_.restart();
      io_.run_one_for(std::chrono::seconds(1));
    }
  }

  HttpResponse Ask(HttpRoutes& routes, const Question& question) {
    HttpRequest request;
    request.method = question.method;
    request.path = question.path;
    request.body = question.body;
    request.query = question.query;
    if (!question.authorization.empty()) request.headers["authorization"] = question.authorization;
    if (!question.origin.empty()) request.headers["origin"] = question.origin;
    std::optional<HttpResponse> answer;
    routes.Handle(request, [&](HttpResponse response) { answer = std::move(response); });
    RunUntil([&] { return answer.has_value(); });
    return answer.value_or(HttpResponse{});
  }

  Scheduler& scheduler() { return scheduler_; }
  MetricsRegistry& registry() { return registry_; }
  core::ChatNode& node() { return node_; }
  const test::NoRelay& relay() const { return relay_; }

 private:
  static core::NodeOptions OptionsWith(std::vector<std::string> open_rooms) {
    core::NodeOptions options;
    options.name = core::NodeName("n1");
    options.open_rooms = std::move(open_rooms);
    return options;
  }

  boost::asio::io_context io_{1};
  AsioScheduler scheduler_{io_};
  MetricsRegistry registry_;
  core::CoreMetrics metrics_{registry_};
  memory::MemoryDirectory directory_{scheduler_};
  memory::MemoryLog log_{scheduler_};
  memory::MemoryStore store_{scheduler_};
  memory::MemoryRoomStore room_store_{scheduler_};
  test::NoRelay relay_;
  NoEncoder encoder_;
  core::ChatNode node_;
};

}  // namespace minichat::api
