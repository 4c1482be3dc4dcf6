#include "loadtest/experiments/transports/roles.h"

#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>

#include <absl/synchronization/mutex.h>

#include "loadtest/experiments/transports/figures.h"
#include "loadtest/experiments/transports/relay_receiving.h"
#include "loadtest/experiments/transports/relay_run.h"
#include "loadtest/experiments/transports/role_process.h"
#include "loadtest/experiments/transports/stock_server.h"
#include "loadtest/experiments/transports/take_run.h"
#include "server/base/log.h"

namespace minichat::transports {
namespace {

// Pairs "--name value", as MeasureStep() and MeasureRelay() write them.
class RoleArgs {
 public:
  explicit RoleArgs(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i + 1 < args.size(); i += 2) values_[args[i]] = args[i + 1];
  }

  const std::string& Text(const std::string& name) const { return values_.at(name); }
  long Number(const std::string& name) const { return std::stol(values_.at(name)); }

  const Step& step() const { return Known(FindStep(Text("--step"))); }
  const RelayWay& way() const { return Known(FindRelayWay(Text("--way"))); }
  std::uint16_t port() const { return static_cast<std::uint16_t>(Number("--port")); }
  pid_t peer() const { return static_cast<pid_t>(Number("--peer")); }
  Times times() const {
    return {std::chrono::milliseconds(Number("--warm-up-ms")),
            std::chrono::milliseconds(Number("--measured-ms"))};
  }

 private:
  template <class T>
  static const T& Known(const T* found) {
    if (found == nullptr) throw std::invalid_argument("unknown name");
    return *found;
  }

  std::map<std::string, std::string> values_;
};

void Tell(const Figures& figures) {
  std::cout << figures.ToJson() << std::endl;
}

void TellPort(std::uint16_t port) {
  Figures figures;
  figures.SetCount("port", port);
  Tell(figures);
}

void WaitForEndOfInput() {
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
}

void SetUsage(const Usage& usage, Figures& figures) {
  figures.Set("seconds", usage.seconds);
  figures.Set("caller_cpu", usage.own_cpu_seconds / usage.seconds);
  figures.Set("stock_cpu", usage.peer_cpu_seconds / usage.seconds);
  figures.Set("machine_busy", usage.machine_busy);
}

void ServeStock(const RoleArgs& args) {
  const Step& step = args.step();
  Stock stock(kItems, kOfEach);
  StockService service(stock, std::chrono::microseconds(args.Number("--store-us")));
  const auto server = step.transport == Transport::kGrpc
                          ? MakeGrpcStockServer(service, step.stock_workers)
                          : MakeHttpStockServer(service, step.stock_workers);
  TellPort(server->port());
  WaitForEndOfInput();
  const StockTotals totals = stock.Totals();
  Figures figures;
  figures.SetCount("calls", totals.calls);
  figures.SetCount("taken", totals.taken);
  figures.SetCount("left", totals.left);
  figures.SetCount("initial", totals.initial);
  figures.SetCount("connections", server->connections());
  figures.Set("held_seconds", service.held_seconds());
  Tell(figures);
}

TakeRunResult RunTakes(const RoleArgs& args) {
  const Step& step = args.step();
  const std::uint16_t port = args.port();
  const bool grpc = step.transport == Transport::kGrpc;
  const std::size_t connections = step.transport == Transport::kHttpPool ? kPoolConnections : 0;
  if (step.caller_workers > 0) {
    const auto stock = grpc ? MakeGrpcStock(port) : MakeHttpStock(port, connections);
    return RunWorkers(step, *stock, args.times(), args.peer());
  }
  const auto stock = grpc ? MakeAsyncGrpcStock(port) : MakeAsyncHttpStock(port, connections);
  return RunAsync(step, *stock, args.times(), args.peer());
}

void CallStock(const RoleArgs& args) {
  const auto [takes, usage] = RunTakes(args);
  Figures figures;
  figures.SetCount("takes", takes.takes);
  figures.SetCount("measured", takes.measured);
  figures.SetCount("failed", takes.failed);
  figures.SetCount("wrong_items", takes.wrong_items);
  figures.Set("p50_ms", takes.p50_ms);
  figures.Set("p95_ms", takes.p95_ms);
  figures.Set("p99_ms", takes.p99_ms);
  figures.Set("in_hand_p50_ms", takes.in_hand_p50_ms);
  figures.Set("per_second", static_cast<double>(takes.measured) / usage.seconds);
  if (takes.failed > 0) figures.SetText("first_failure", takes.first_failure);
  SetUsage(usage, figures);
  Tell(figures);
}

void ServeRelay(const RoleArgs& args) {
  RelayAccount account;
  const auto receiving = MakeRelayReceiving(args.way(), account);
  TellPort(receiving->port());
  WaitForEndOfInput();
  const RelayAccount::Figures handed = account.Read();
  Figures figures;
  figures.SetCount("highest_seq", handed.messages);
  figures.SetCount("handed", handed.handed);
  figures.SetCount("missing", handed.missing);
  figures.SetCount("repeated", handed.repeated);
  figures.SetCount("unknown", handed.unknown);
  Tell(figures);
}

void CallRelay(const RoleArgs& args) {
  const auto sending = MakeRelaySending(args.way(), args.port());
  const auto in_flight = static_cast<std::size_t>(args.Number("--in-flight"));
  const RelayRunResult run = RunRelay(*sending, in_flight, args.times(), args.peer());
  Figures figures;
  figures.SetCount("messages", run.messages);
  figures.SetCount("measured", run.measured);
  figures.SetCount("incomplete", run.incomplete);
  figures.Set("p50_ms", run.p50_ms);
  figures.Set("p95_ms", run.p95_ms);
  figures.Set("p99_ms", run.p99_ms);
  figures.Set("per_second", static_cast<double>(run.measured) / run.usage.seconds);
  figures.SetCount("calls", sending->Calls());
  figures.SetCount("stream_writes", sending->StreamWrites());
  SetUsage(run.usage, figures);
  Tell(figures);
}

}  // namespace

int RunRole(const std::vector<std::string>& args) {
  DieWithParent();
  log::SetLevel(log::Level::kWarn);
  // As in the product's server (relay/channel_settings.cc); here also where only a client is.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const std::map<std::string, std::function<void(const RoleArgs&)>> roles = {
      {"stock", ServeStock},
      {"caller", CallStock},
      {"relay-receiver", ServeRelay},
      {"relay-sender", CallRelay}};
  try {
    const RoleArgs role(args);
    roles.at(role.Text(kRoleOption))(role);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minichat-lab-transports: a role failed: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace minichat::transports
