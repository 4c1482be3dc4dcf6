#include "tests/support/test_cluster.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

namespace minichat::test {
namespace {

using std::chrono::seconds;

constexpr seconds kReadyLimit{30};
constexpr seconds kStopLimit{12};

}  // namespace

ServiceSet* ServiceSet::Shared() {
  static const std::unique_ptr<ServiceSet> kShared = []() -> std::unique_ptr<ServiceSet> {
    if (!ScratchPostgres::Installed() || !ScratchKafka::Installed()) return nullptr;
    auto redis = ScratchRedis::Start();
    if (redis == nullptr) return nullptr;
    return std::unique_ptr<ServiceSet>(new ServiceSet(std::move(redis)));
  }();
  return kShared.get();
}

ServiceSet::ServiceSet(std::unique_ptr<ScratchRedis> redis)
    : redis_(std::move(redis)),
      postgres_(ScratchPostgres::Shared()),
      kafka_(ScratchKafka::Shared()),
      database_url_(postgres_->NewDatabase()) {
  Migrate();
}

void ServiceSet::Migrate() {
  const ScratchDir dir("minichat-migrate");
  const auto log = dir.path() / "log";
  if (RunToEnd({MinichatBinary(), "migrate", "--log", kafka_->url(), "--directory", redis_->Url(),
                "--store", database_url_},
               log) != 0) {
    throw std::runtime_error("migrate failed:\n" + ReadTail(log));
  }
}

TestCluster::TestCluster(ServiceSet& services, TestClusterOptions options)
    : services_(services), options_(std::move(options)), dir_("minichat-cluster") {
  std::ofstream(dir_.path() / "secret") << "secret-of-this-test-cluster\n";
  for (int i = 0; i < options_.nodes; ++i) {
    if (options_.relay_gates) gates_.push_back(std::make_unique<TcpGate>());
    const auto index = static_cast<std::size_t>(i);
    nodes_.push_back(
        std::make_unique<NodeProcess>("n" + std::to_string(i + 1), dir_.path(), FlagsOf(index)));
    Start(index, {});
  }
  WaitUntilReady();
}

TestCluster::~TestCluster() {
  for (const auto& node : nodes_) {
    if (!node->running()) continue;
    node->Thaw();
    node->Terminate();
  }
  for (const auto& node : nodes_) {
    if (node->running()) node->WaitForEnd(kStopLimit);
  }
}

NodeProcess::Flags TestCluster::FlagsOf(std::size_t i) const {
  NodeProcess::Flags flags;
  if (i < options_.node_flags.size()) flags = options_.node_flags[i];
  flags.insert(options_.flags.begin(), options_.flags.end());
  // Not port 0: a node that is started again must be where its users and peers look for it.
  const auto address = [] { return "127.0.0.1:" + std::to_string(FreePort()); };
  flags.insert({{"client.listen", address()},
                {"admin.listen", address()},
                {"relay.listen", address()},
                {"cluster.secret_file", dir_.path() / "secret"},
                {"log", services_.kafka().url()},
                {"directory", services_.redis().Url()},
                {"store", services_.database_url()}});
  if (options_.relay_gates) flags["relay.advertise"] = gates_[i]->address().ToString();
  return flags;
}

void TestCluster::Start(std::size_t i, const NodeProcess::Flags& extra) {
  nodes_[i]->Start(extra);
  if (options_.relay_gates) gates_[i]->SetTarget(nodes_[i]->addresses().relay);
}

void TestCluster::Restart(std::size_t i, const NodeProcess::Flags& extra) {
  Start(i, extra);
  WaitUntilReady();
}

// A node that serves and one that knows the others are two things: it relays only to peers whose
// heartbeat it has seen.
void TestCluster::WaitUntilReady() {
  std::set<std::string> running;
  for (const auto& node : nodes_) {
    if (node->running()) running.insert(node->name());
  }
  const auto ready = [&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
      if (!node->running()) return true;
      const std::set<std::string> live = loadtest::LiveNodes(node->admin());
      return node->Ready() &&
             std::includes(live.begin(), live.end(), running.begin(), running.end());
    });
  };
  if (!WaitFor(ready, kReadyLimit)) throw std::runtime_error("nodes not ready:\n" + LogTails());
}

loadtest::Cluster TestCluster::Description() const {
  loadtest::Cluster cluster;
  for (const auto& node : nodes_) cluster.nodes.push_back(node->addresses());
  cluster.redis = services_.redis().Url();
  cluster.kafka = services_.kafka().brokers();
  cluster.postgres = services_.database_url();
  cluster.auth = "insecure";
  return cluster;
}

std::vector<loadtest::Endpoint> TestCluster::ClientEndpoints() const {
  std::vector<loadtest::Endpoint> endpoints;
  for (const auto& node : nodes_) endpoints.push_back(node->client());
  return endpoints;
}

double TestCluster::Sum(std::string_view metric,
                        std::initializer_list<loadtest::MetricsSnapshot::Label> labels) const {
  double sum = 0;
  for (const auto& node : nodes_) {
    if (node->running()) sum += node->Metrics().Sum(metric, labels);
  }
  return sum;
}

std::string TestCluster::LogTails() const {
  std::string text;
  for (const auto& node : nodes_) text += "--- " + node->name() + "\n" + node->LogTail() + "\n";
  return text;
}

}  // namespace minichat::test
