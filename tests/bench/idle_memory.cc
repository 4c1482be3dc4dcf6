#include "tests/bench/idle_memory.h"

#include "tests/bench/bench_report.h"

namespace minichat::bench {
namespace {

constexpr std::chrono::seconds kSettleTime{3};
constexpr std::chrono::seconds kConnectLimit{120};

}  // namespace

Result<IdleMemory> MeasureIdleMemory(BenchCluster& cluster, std::size_t connections) {
  const double before = cluster.ResidentKib();
  loadtest::LoadGenerator crowd(cluster.loop(), cluster.LoadFor(connections));
  if (const Status s = crowd.Connect(kConnectLimit); !s.ok()) return s;
  cluster.loop().RunFor(kSettleTime);
  const double grown = cluster.ResidentKib() - before;
  return IdleMemory{connections, grown / static_cast<double>(connections)};
}

std::string ToTable(const IdleMemory& memory) {
  return Line("\n%zu idle connections in one room on three nodes: %.1f KiB of a node's memory each",
              memory.connections, memory.kib_per_connection);
}

}  // namespace minichat::bench
