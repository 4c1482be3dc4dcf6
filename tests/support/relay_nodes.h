#pragma once

// Both ends of the relay for tests: real ones, each with a core thread of its own.

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "relay/grpc_relay.h"
#include "relay/relay_server.h"
#include "tests/support/core_thread.h"

namespace minichat::relay {

using tests::CoreThread;
using tests::MetricValue;

inline constexpr char kTestSecret[] = "test-secret";

// Takes everything for its own incarnation and writes it down.
class FakeReceiver final : public core::RelayReceiver {
 public:
  explicit FakeReceiver(std::string incarnation) : incarnation_(std::move(incarnation)) {}

  std::vector<core::RelayResult> OnRelayed(
      const core::Incarnation& target, core::EventPtr event,
      const std::vector<core::SessionId>& recipients) override {
    calls.push_back({std::move(event), recipients});
    std::vector<core::RelayResult> results;
    for (const core::SessionId& recipient : recipients) {
      const auto special = special_results.find(recipient.value());
      const bool here = target == incarnation_;
      results.push_back(!here                              ? core::RelayResult::kNotHere
                        : special == special_results.end() ? core::RelayResult::kQueued
                                                           : special->second);
    }
    return results;
  }

  void OnTyping(const core::Incarnation& target, const core::Typing& what) override {
    if (target == incarnation_) typing.push_back(what);
  }

  struct Call {
    core::EventPtr event;
    std::vector<core::SessionId> recipients;
  };
  std::vector<Call> calls;  // of the core thread
  std::vector<core::Typing> typing;
  std::map<std::string, core::RelayResult> special_results;

 private:
  const core::Incarnation incarnation_;
};

// The receiving side of a node.
struct TestServer {
  explicit TestServer(std::string name, RelayServerOptions options = {})
      : receiver(name + "-1"), entry{core::NodeName(name), core::Incarnation(name + "-1"), ""} {
    if (options.cluster_secret.empty()) options.cluster_secret = kTestSecret;
    options.fault = [this] { return ++arrived, fault; };
    server = std::make_unique<RelayServer>(options, core.scheduler, receiver, metrics);
    core.Run([this] { status = server->Start(); });
    entry.relay_address = "127.0.0.1:" + std::to_string(server->port());
  }
  ~TestServer() { Shutdown(); }

  void Shutdown(Duration limit = std::chrono::seconds(2)) {
    core.Run([&] { server->Shutdown(limit); });
  }
  void SetFault(RelayFault next) {
    core.Run([&] { fault = next; });
  }
  std::vector<FakeReceiver::Call> Calls() {
    std::vector<FakeReceiver::Call> copy;
    core.Run([&] { copy = receiver.calls; });
    return copy;
  }
  double Metric(const std::string& series) { return MetricValue(metrics, series); }

  MetricsRegistry metrics;
  FakeReceiver receiver;
  core::NodeEntry entry;
  Status status;
  RelayFault fault;         // of the core thread
  std::size_t arrived = 0;  // of the core thread; also those that the fault kept
  CoreThread core;
  std::unique_ptr<RelayServer> server;
};

using Results = std::vector<core::RelayResult>;

inline std::vector<core::SessionId> Sessions(std::size_t count, const std::string& prefix = "s") {
  std::vector<core::SessionId> sessions;
  for (std::size_t i = 0; i < count; ++i) sessions.emplace_back(prefix + std::to_string(i));
  return sessions;
}

inline core::EventPtr MakeEvent(std::size_t bytes = 200) {
  auto event = std::make_shared<core::Event>();
  event->room = core::RoomId("room");
  event->place = {8, 7, 1};
  event->id = core::IdOf(event->room, core::UserId("u"), core::ClientMessageId("c"));
  event->hash = 42;
  event->encoded = std::make_shared<const std::string>(bytes, 'x');
  return event;
}

// Patient: only what a test breaks may fail a call, however slow the machine is.
inline GrpcRelayOptions PatientOptions(RelayMode mode = RelayMode::kBulk) {
  GrpcRelayOptions options;
  options.mode = mode;
  options.longest_call = std::chrono::seconds(60);
  options.control_limit = std::chrono::seconds(60);
  return options;
}

// The sending side of a node.
struct TestSender {
  explicit TestSender(GrpcRelayOptions options = PatientOptions()) {
    if (options.cluster_secret.empty()) options.cluster_secret = kTestSecret;
    core.Run([&] { relay = std::make_unique<GrpcRelay>(options, core.scheduler, metrics); });
  }
  ~TestSender() {
    core.Run([this] { relay.reset(); });
  }

  void SetPeers(std::vector<core::NodeEntry> peers) {
    core.Run([&] { relay->SetPeers(peers); });
  }
  std::future<Results> Start(const core::NodeEntry& to, std::vector<core::SessionId> recipients,
                             Duration budget = std::chrono::seconds(60),
                             core::EventPtr event = MakeEvent()) {
    auto promise = std::make_shared<std::promise<Results>>();
    auto results = promise->get_future();
    core.Run([&] {
      relay->Deliver(to.name, to.incarnation, event, std::move(recipients),
                     Deadline::After(core.scheduler, budget),
                     [promise](Results r) { promise->set_value(std::move(r)); });
    });
    return results;
  }
  // Messages "s0" … to one session each, all in one turn of the core thread.
  std::vector<std::future<Results>> StartMany(const core::NodeEntry& to, std::size_t count,
                                              Duration budget = std::chrono::seconds(60)) {
    std::vector<std::future<Results>> all;
    core.Run([&] {
      for (const core::SessionId& session : Sessions(count)) {
        auto promise = std::make_shared<std::promise<Results>>();
        all.push_back(promise->get_future());
        relay->Deliver(to.name, to.incarnation, MakeEvent(), {session},
                       Deadline::After(core.scheduler, budget),
                       [promise](Results r) { promise->set_value(std::move(r)); });
      }
    });
    return all;
  }
  Results Deliver(const core::NodeEntry& to, std::size_t recipients,
                  Duration budget = std::chrono::seconds(60)) {
    return Start(to, Sessions(recipients), budget).get();
  }
  double Metric(const std::string& series) { return MetricValue(metrics, series); }

  MetricsRegistry metrics;
  CoreThread core;
  std::unique_ptr<GrpcRelay> relay;
};

// One message for one session per tick, for as long as it lives.
class Traffic {
 public:
  Traffic(TestSender& sender, const core::NodeEntry& to, Duration period)
      : sender_(sender), to_(to), period_(period) {
    sender_.core.Run([this] { Tick(); });
  }
  ~Traffic() {
    sender_.core.Run([this] { sender_.core.scheduler.Cancel(timer_); });
  }

  // Of the sender's core thread.
  struct Counts {
    std::size_t queued = 0;
    std::size_t failed = 0;
    std::size_t waiting = 0;
  };
  const std::shared_ptr<Counts> counts = std::make_shared<Counts>();

 private:
  void Tick() {
    ++counts->waiting;
    sender_.relay->Deliver(to_.name, to_.incarnation, event_, Sessions(1),
                           Deadline::After(sender_.core.scheduler, std::chrono::seconds(60)),
                           [c = counts](Results results) {
                             --c->waiting;
                             ++(results[0] == core::RelayResult::kQueued ? c->queued : c->failed);
                           });
    timer_ = sender_.core.scheduler.RunAfter(period_, [this] { Tick(); });
  }

  TestSender& sender_;
  const core::NodeEntry to_;
  const Duration period_;
  const core::EventPtr event_ = MakeEvent();
  Scheduler::TimerId timer_ = 0;
};

inline Results All(std::size_t count, core::RelayResult result) {
  return Results(count, result);
}

}  // namespace minichat::relay
