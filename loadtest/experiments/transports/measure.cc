#include "loadtest/experiments/transports/measure.h"

#include <algorithm>
#include <string>
#include <vector>

#include "loadtest/experiments/transports/role_process.h"
#include "loadtest/experiments/transports/roles.h"

namespace minichat::transports {
namespace {

// Beyond the time that a role is told to take.
constexpr std::chrono::seconds kPatience{20};

using Args = std::vector<std::string>;

Result<Figures> ReadFigures(RoleProcess& process, std::chrono::milliseconds limit) {
  const auto line = process.ReadLine(limit);
  if (!line.ok()) return line.status();
  return Figures::FromJson(line.value());
}

// `caller` gets the rest of its arguments: where the serving process is, and for how long to call.
Result<Figures> MeasurePair(const Args& serving, Args caller, const Times& times) {
  RoleProcess server(serving);
  const auto port = ReadFigures(server, kPatience);
  if (!port.ok()) return port.status();
  const Args rest = {"--port",        std::to_string(static_cast<int>(port.value().Get("port"))),
                     "--peer",        std::to_string(server.pid()),
                     "--warm-up-ms",  std::to_string(times.warm_up.count()),
                     "--measured-ms", std::to_string(times.measured.count())};
  caller.insert(caller.end(), rest.begin(), rest.end());
  RoleProcess client(caller);
  auto figures = ReadFigures(client, times.warm_up + times.measured + kPatience);
  if (!figures.ok()) return figures.status();
  server.CloseInput();
  const auto served = ReadFigures(server, kPatience);
  if (!served.ok()) return served.status();
  figures->Merge(served.value());
  return figures;
}

}  // namespace

Result<Figures> MeasureStep(const Step& step, std::chrono::microseconds store_time,
                            const Times& times) {
  auto figures = MeasurePair(
      {kRoleOption, "stock", "--step", step.name, "--store-us", std::to_string(store_time.count())},
      {kRoleOption, "caller", "--step", step.name}, times);
  if (!figures.ok()) return figures.status();
  // The share of their time for which the stock's workers were held by a query.
  const double calls_per_second =
      figures->Get("per_second") * static_cast<double>(CallsPerTake(step));
  const double held_per_call = figures->Get("held_seconds") / figures->Get("calls");
  const auto workers = static_cast<double>(std::max<std::size_t>(1, step.stock_workers));
  // Never above 1, but for the rate being that of the measured stretch and the time of all calls.
  figures->Set("stock_held", std::min(calls_per_second * held_per_call / workers, 1.0));
  return figures;
}

Result<Figures> MeasureRelay(const RelayWay& way, std::size_t in_flight, const Times& times) {
  return MeasurePair(
      {kRoleOption, "relay-receiver", "--way", way.name},
      {kRoleOption, "relay-sender", "--way", way.name, "--in-flight", std::to_string(in_flight)},
      times);
}

}  // namespace minichat::transports
