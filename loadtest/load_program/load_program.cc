#include "loadtest/load_program/load_program.h"

#include <cstdio>
#include <fstream>

#include "loadtest/client/cluster_file.h"
#include "loadtest/client/stop_signals.h"
#include "loadtest/load_program/load_report.h"
#include "loadtest/load_program/open_files.h"

namespace minichat::loadtest {
namespace {

constexpr std::chrono::seconds kConnectLimit{120};

LoadExit Fail(const Status& status, LoadExit code) {
  std::fprintf(stderr, "minichat-load: %s\n", status.message().c_str());
  return code;
}

Result<std::vector<Endpoint>> NodesOf(const LoadCommand& command) {
  if (!command.nodes.empty()) return command.nodes;
  const Result<Cluster> cluster = ReadClusterFile(command.cluster_file);
  if (!cluster.ok()) return cluster.status();
  std::vector<Endpoint> nodes;
  for (const ClusterNode& node : cluster->nodes) nodes.push_back(node.client);
  return nodes;
}

LoadWatch WatchFor(const LoadCommand& command) {
  LoadWatch watch;
  watch.stops = StopSignals;
  if (!command.quiet) {
    watch.on_second = [](const LoadProgress& progress) {
      std::fputs(ProgressLine(progress).c_str(), stderr);
    };
  }
  return watch;
}

// Files are opened before the run: one that can't be written is told at once, not after minutes.
class Outputs {
 public:
  Status Open(const LoadCommand& command) {
    if (const Status s = OpenOne(command.ids_file, &ids_); !s.ok()) return s;
    return command.json_file == "-" ? Status() : OpenOne(command.json_file, &json_);
  }

  Status Write(const LoadReport& report) {
    for (const std::string& id : report.result.acked_ids) ids_ << id << '\n';
    const std::string json = boost::json::serialize(ToJson(report)) + "\n";
    json_ << json;
    std::fputs((report.command.json_file == "-" ? json : ToTable(report)).c_str(), stdout);
    ids_.flush();
    json_.flush();
    // A stream that was never opened takes nothing, and is asked for nothing.
    const bool written =
        (report.command.ids_file.empty() || ids_.good()) &&
        (report.command.json_file.empty() || report.command.json_file == "-" || json_.good());
    return written ? Status() : Unavailable("the report could not be written whole");
  }

 private:
  static Status OpenOne(const std::string& path, std::ofstream* file) {
    if (path.empty()) return {};
    file->open(path);
    return file->good() ? Status() : InvalidArgument("can't write " + path);
  }

  std::ofstream ids_;
  std::ofstream json_;
};

// Tells how many have joined, once a second.
class ConnectProgress {
 public:
  ConnectProgress(ClientLoop& loop, const LoadGenerator& generator, std::size_t all)
      : loop_(loop), generator_(generator), all_(all) {
    Arm();
  }
  ~ConnectProgress() { loop_.Cancel(timer_); }
  ConnectProgress(const ConnectProgress&) = delete;

 private:
  void Arm() {
    timer_ = loop_.At(Clock::now() + std::chrono::seconds(1), [this] {
      std::fprintf(stderr, "connecting: %zu of %zu\n", generator_.joined(), all_);
      Arm();
    });
  }

  ClientLoop& loop_;
  const LoadGenerator& generator_;
  const std::size_t all_;
  ClientLoop::TimerId timer_;
};

Status Connect(ClientLoop& loop, LoadGenerator& generator, const LoadCommand& command) {
  std::optional<ConnectProgress> progress;
  if (!command.quiet) progress.emplace(loop, generator, command.members * command.rooms);
  return generator.Connect(kConnectLimit);
}

}  // namespace

LoadExit RunLoad(const LoadCommand& command) {
  const Result<std::vector<Endpoint>> nodes = NodesOf(command);
  if (!nodes.ok()) return Fail(nodes.status(), LoadExit::kUsage);
  const std::size_t connections = command.members * command.rooms;
  const Result<std::size_t> files = RaiseOpenFiles(connections);
  if (!files.ok()) return Fail(files.status(), LoadExit::kNoConnection);
  Outputs outputs;
  if (const Status s = outputs.Open(command); !s.ok()) return Fail(s, LoadExit::kUsage);
  CountStopSignals();

  ClientLoop loop;
  LoadGenerator generator(loop,
                          {.label = command.label,
                           .nodes = *nodes,
                           .members = command.members,
                           .talkers = command.talkers,
                           .text_bytes = command.text_bytes,
                           .rooms = command.rooms},
                          WatchFor(command));
  const WallTime connect_start = std::chrono::system_clock::now();
  const Status connected = Connect(loop, generator, command);
  if (!connected.ok()) return Fail(connected, LoadExit::kNoConnection);
  const WallTime connect_end = std::chrono::system_clock::now();
  const auto result = generator.Run(
      {.rate = command.rate, .duration = command.duration, .patience = command.drain});
  generator.Close();

  const LoadReport report{command, connections, *files, connect_start, connect_end, *result};
  if (const Status s = outputs.Write(report); !s.ok()) return Fail(s, LoadExit::kBroken);
  return report.ok() ? LoadExit::kExact : Fail(Aborted(report.Findings()), LoadExit::kBroken);
}

}  // namespace minichat::loadtest
