#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loadtest/client/cluster_admin.h"
#include "tests/support/node_process.h"
#include "tests/support/scratch_kafka.h"
#include "tests/support/scratch_postgres.h"
#include "tests/support/scratch_redis.h"
#include "tests/support/tcp_gate.h"

namespace minichat::test {

// One set of real services for all tests of a program, with the topic and the tables made.
//
// Lifetime:  Shared() lives until the program ends.
// Threading: confined to one thread.
class ServiceSet {
 public:
  // Null when one of them isn't installed.
  static ServiceSet* Shared();

  ScratchRedis& redis() { return *redis_; }
  ScratchPostgres& postgres() { return *postgres_; }
  ScratchKafka& kafka() { return *kafka_; }
  const std::string& database_url() const { return database_url_; }

 private:
  explicit ServiceSet(std::unique_ptr<ScratchRedis> redis);
  void Migrate();

  std::unique_ptr<ScratchRedis> redis_;
  ScratchPostgres* postgres_;
  ScratchKafka* kafka_;
  std::string database_url_;
};

struct TestClusterOptions {
  int nodes = 3;
  NodeProcess::Flags flags = {};                    // of every node
  std::vector<NodeProcess::Flags> node_flags = {};  // of one node each; may be shorter
  bool relay_gates = false;                         // nodes reach each other through gates
};

// Several real nodes on shared services.
//
// Lifetime:  the services outlive it; its end stops the nodes.
// Threading: confined to one thread.
// Errors:    throws when the nodes don't get ready.
class TestCluster {
 public:
  TestCluster(ServiceSet& services, TestClusterOptions options);
  // In order, so that names and partitions are free for the next one at once.
  ~TestCluster();

  NodeProcess& node(std::size_t i) { return *nodes_.at(i); }
  std::size_t size() const { return nodes_.size(); }
  // Before node i's relay port; only with relay_gates.
  TcpGate& relay_gate(std::size_t i) { return *gates_.at(i); }
  void WaitUntilReady();
  // Starts a node that is down, and waits until it serves.
  void Restart(std::size_t i, const NodeProcess::Flags& extra = {});

  loadtest::Cluster Description() const;
  std::vector<loadtest::Endpoint> ClientEndpoints() const;
  // Sum over the nodes that answer.
  double Sum(std::string_view metric,
             std::initializer_list<loadtest::MetricsSnapshot::Label> labels = {}) const;
  // The end of each node's log.
  std::string LogTails() const;

 private:
  NodeProcess::Flags FlagsOf(std::size_t i) const;
  void Start(std::size_t i, const NodeProcess::Flags& extra);

  ServiceSet& services_;
  const TestClusterOptions options_;
  ScratchDir dir_;
  std::vector<std::unique_ptr<TcpGate>> gates_;
  std::vector<std::unique_ptr<NodeProcess>> nodes_;
};

}  // namespace minichat::test
