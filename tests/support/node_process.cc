#include "tests/support/node_process.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <boost/json.hpp>

namespace minichat::test {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

constexpr seconds kListenLimit{20};

loadtest::Endpoint PortOf(const json::object& ports, std::string_view key) {
  return {"127.0.0.1", static_cast<std::uint16_t>(ports.at(key).to_number<int>())};
}

}  // namespace

std::string MinichatBinary() {
  const char* set = std::getenv("MINICHAT_BIN");
  return set != nullptr ? set : MINICHAT_DEFAULT_BIN;
}

NodeProcess::NodeProcess(std::string name, const std::filesystem::path& dir, Flags flags)
    : name_(std::move(name)),
      ports_file_(dir / (name_ + ".ports.json")),
      log_(dir / (name_ + ".log")),
      flags_(std::move(flags)) {}

void NodeProcess::Start(const Flags& extra) {
  Flags flags = extra;
  flags.insert(flags_.begin(), flags_.end());
  std::vector<std::string> command{MinichatBinary(), "serve",    "--node.name", name_,
                                   "--ports-file",   ports_file_};
  for (const auto& [key, value] : flags) {
    command.push_back("--" + key);
    command.push_back(value);
  }
  std::filesystem::remove(ports_file_);
  process_ = std::make_unique<ScratchProcess>(command, log_);
  const auto listens = [this] {
    return std::filesystem::exists(ports_file_) || !process_->running();
  };
  if (!WaitFor(listens, kListenLimit) || !process_->running()) {
    throw std::runtime_error("node " + name_ + " does not listen:\n" + LogTail());
  }
  ReadPorts();
}

void NodeProcess::ReadPorts() {
  std::ifstream file(ports_file_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const json::value value = json::parse(text);
  const json::object& ports = value.get_object();
  addresses_.name = name_;
  addresses_.pid = process_->pid();
  addresses_.client = PortOf(ports, "client");
  addresses_.admin = PortOf(ports, "admin");
  addresses_.relay = PortOf(ports, "relay");
}

bool NodeProcess::Ready() const {
  const auto answer = loadtest::CallHttp(admin(), {.path = "/readyz"});
  return answer.ok() && answer->status == 200;
}

int NodeProcess::Stop(seconds limit) {
  Terminate();
  return WaitForEnd(limit);
}

int NodeProcess::WaitForEnd(seconds limit) {
  if (!WaitFor([this] { return !process_->running(); }, limit)) process_->Signal(SIGKILL);
  return process_->Wait();
}

void NodeProcess::Kill() {
  process_->Signal(SIGKILL);
  process_->Wait();
}

void NodeProcess::Freeze() {
  process_->Signal(SIGSTOP);
}

void NodeProcess::Thaw() {
  process_->Signal(SIGCONT);
}

loadtest::MetricsSnapshot NodeProcess::Metrics() const {
  auto metrics = loadtest::ScrapeMetrics(admin());
  return metrics.ok() ? std::move(metrics).value() : loadtest::MetricsSnapshot();
}

}  // namespace minichat::test
