#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "loadtest/client/cluster_file.h"
#include "loadtest/client/metrics_text.h"
#include "tests/support/scratch_process.h"

namespace minichat::test {

// The program under test: environment MINICHAT_BIN, else the one of this build.
std::string MinichatBinary();

// A real `minichat serve` process on ports of its own choosing.
//
// Lifetime:  its end kills the process.
// Threading: confined to one thread.
// Errors:    Start() throws, with the end of the node's log, when it doesn't listen in time.
class NodeProcess {
 public:
  using Flags = std::map<std::string, std::string>;  // "relay.mode" → "bulk"

  NodeProcess(std::string name, const std::filesystem::path& dir, Flags flags);

  // Starts it, for the first time or anew, and waits until it listens. `extra` wins.
  void Start(const Flags& extra = {});
  bool running() { return process_ != nullptr && process_->running(); }
  // Asks /readyz.
  bool Ready() const;
  // SIGTERM, and its exit code; 128 + 9 when it had to be killed after `limit`.
  int Stop(std::chrono::seconds limit = std::chrono::seconds(15));
  void Terminate() { process_->Signal(SIGTERM); }
  int WaitForEnd(std::chrono::seconds limit);
  void Kill();
  void Freeze();
  void Thaw();

  const std::string& name() const { return name_; }
  pid_t pid() const { return process_->pid(); }
  const loadtest::ClusterNode& addresses() const { return addresses_; }
  const loadtest::Endpoint& client() const { return addresses_.client; }
  const loadtest::Endpoint& admin() const { return addresses_.admin; }
  // Fails the calling test's expectations by returning an empty scrape when the node is away.
  loadtest::MetricsSnapshot Metrics() const;
  std::string LogTail() const { return ReadTail(log_); }

 private:
  void ReadPorts();

  const std::string name_;
  const std::filesystem::path ports_file_;
  const std::filesystem::path log_;
  const Flags flags_;
  loadtest::ClusterNode addresses_;
  std::unique_ptr<ScratchProcess> process_;
};

}  // namespace minichat::test
