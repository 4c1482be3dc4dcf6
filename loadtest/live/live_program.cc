#include "loadtest/live/live_program.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "loadtest/client/stop_signals.h"
#include "loadtest/live/cluster_watch.h"
#include "loadtest/live/control_routes.h"
#include "loadtest/live/control_server.h"
#include "loadtest/live/live_load.h"
#include "loadtest/load/delivery_account.h"
#include "loadtest/load_program/open_files.h"

namespace minichat::loadtest {
namespace {

constexpr std::size_t kFilesOfControl = 128;  // its connections, and scrapes
constexpr std::size_t kMostMembers = 20'000;

LoadExit Fail(const Status& status, LoadExit code) {
  std::fprintf(stderr, "minichat-load: %s\n", status.message().c_str());
  return code;
}

LiveSettings SettingsOf(const LoadCommand& command) {
  return {.members = command.members, .talkers = command.talkers, .rate = command.rate};
}

std::vector<Endpoint> ClientsOf(const Cluster& cluster) {
  std::vector<Endpoint> nodes;
  for (const ClusterNode& node : cluster.nodes) nodes.push_back(node.client);
  return nodes;
}

// Seen whole or not at all.
Status WritePorts(const std::string& path, std::uint16_t port) {
  if (path.empty()) return {};
  const std::string unfinished = path + ".new";
  std::ofstream out(unfinished, std::ios::trunc);
  out << "{\"control\":" << port << "}\n";
  out.close();
  if (out && std::rename(unfinished.c_str(), path.c_str()) == 0) return {};
  return InvalidArgument("can't write " + path);
}

void SayWhere(const Endpoint& control, const Cluster& cluster) {
  std::fprintf(stderr, "control: http://%s/v1/state\npage:    http://%s/lab?control=%s\n",
               control.ToString().c_str(), cluster.nodes.front().admin.ToString().c_str(),
               control.ToString().c_str());
}

std::string Findings(const LiveCounts& counts, bool allow_misordered) {
  DeliveryCounts found;
  found.lost = counts.lost;
  found.repeated = counts.repeated;
  found.misordered = counts.misordered;
  return found.Findings(allow_misordered ? Order::kMayBreak : Order::kMustHold);
}

LoadExit Conclude(const LiveCounts& counts, bool allow_misordered) {
  std::fprintf(stderr, "sent %llu, acknowledged %llu, received %llu\n",
               static_cast<unsigned long long>(counts.sent),
               static_cast<unsigned long long>(counts.acked),
               static_cast<unsigned long long>(counts.received));
  const std::string findings = Findings(counts, allow_misordered);
  return findings.empty() ? LoadExit::kExact : Fail(Aborted(findings), LoadExit::kBroken);
}

}  // namespace

LoadExit RunLive(const LoadCommand& command) {
  const Result<Cluster> cluster = ReadClusterFile(command.cluster_file);
  if (!cluster.ok()) return Fail(cluster.status(), LoadExit::kUsage);
  const Result<std::size_t> files = RaiseOpenFiles(command.members + kFilesOfControl);
  if (!files.ok()) return Fail(files.status(), LoadExit::kNoConnection);
  LiveBoard board(SettingsOf(command), std::min(kMostMembers, *files - kFilesOfControl));
  const auto routes = MakeControlRoutes(command.label, board);
  const auto server = ControlServer::Start(*command.control, *routes);
  if (!server.ok()) return Fail(server.status(), LoadExit::kUsage);
  const Endpoint control = (*server)->address();
  if (const Status s = WritePorts(command.ports_file, control.port); !s.ok()) {
    return Fail(s, LoadExit::kUsage);
  }
  CountStopSignals();
  if (!command.quiet) SayWhere(control, *cluster);

  ClientLoop loop;
  const auto load = std::make_unique<LiveLoad>(
      loop,
      LiveLoadOptions{
          .label = command.label, .nodes = ClientsOf(*cluster), .text_bytes = command.text_bytes},
      board);
  {
    const ClusterWatch watch(*cluster, board);
    load->Run([] { return StopSignals() > 0; });
    board.Close();
  }
  return Conclude(load->counts(), command.allow_misordered);
}

}  // namespace minichat::loadtest
