#include "loadtest/experiments/hot_spots/room_spot.h"

#include <unistd.h>

#include "loadtest/load/load_generator.h"
#include "tests/bench/cpu_clock.h"
#include "tests/support/test_cluster.h"

namespace minichat::lab {
namespace {

using loadtest::LoadGenerator;
using std::chrono::seconds;

constexpr std::size_t kRooms = 50;
constexpr std::size_t kMembers = 12;
constexpr std::size_t kInFlight = 48;
constexpr seconds kConnectLimit{60};
constexpr seconds kPatience{20};
constexpr seconds kWarmUp{2};

loadtest::LoadOptions LoadOf(const test::TestCluster& cluster, const std::string& label,
                             std::size_t rooms) {
  return {.label = label + std::to_string(getpid()),
          .nodes = cluster.ClientEndpoints(),
          .members = kMembers,
          .talkers = kMembers,
          .rooms = rooms};
}

double NodesCpu(const loadtest::Cluster& nodes) {
  double sum = 0;
  for (const auto& node : nodes.nodes) sum += bench::CpuSeconds(node.pid);
  return sum;
}

Result<SpotSample> Stretch(LoadGenerator& load, const loadtest::Cluster& nodes, seconds duration) {
  const double own_before = bench::CpuSeconds(getpid());
  const double nodes_before = NodesCpu(nodes);
  const auto run = load.Run({.in_flight = kInFlight, .duration = duration, .patience = kPatience});
  if (!run->counts.exact()) return Aborted("hot-spots: rooms: " + run->counts.Findings());
  const auto messages = static_cast<double>(run->counts.acked);
  return SpotSample{run->send_seconds * 1e6 / messages,
                    (bench::CpuSeconds(getpid()) - own_before) * 1e6 / messages,
                    (NodesCpu(nodes) - nodes_before) * 1e6 / messages};
}

}  // namespace

Result<SpotResult> MeasureRooms(const SpotPlan& plan) {
  test::ServiceSet* services = test::ServiceSet::Shared();
  if (services == nullptr) {
    return FailedPrecondition("hot-spots: redis, kafka or postgres is not installed");
  }
  test::TestCluster cluster(*services, {.flags = {{"limits.messages_per_s", "100000"}}});
  const loadtest::Cluster nodes = cluster.Description();
  loadtest::ClientLoop loop;
  LoadGenerator one(loop, LoadOf(cluster, "hot-", 1));
  LoadGenerator many(loop, LoadOf(cluster, "spread-", kRooms));
  SpotResult result = EmptyResultOf({"rooms",
                                     "One hot room, or fifty: 12 recipients a message",
                                     "message to 12",
                                     {{"one room", 1, {}}, {"fifty rooms", 1, {}}}});
  for (LoadGenerator* load : {&one, &many}) {
    if (const Status s = load->Connect(kConnectLimit); !s.ok()) return s;
    const auto warm = Stretch(*load, nodes, kWarmUp);
    if (!warm.ok()) return warm.status();
  }
  for (std::size_t round = 0; round < plan.room_rounds; ++round) {
    for (const auto& [load, variant] : {std::pair(&one, 0), std::pair(&many, 1)}) {
      const auto sample = Stretch(*load, nodes, plan.room_stretch);
      if (!sample.ok()) return sample.status();
      result.variants[static_cast<std::size_t>(variant)].rounds.push_back(*sample);
    }
  }
  one.Close();
  many.Close();
  return result;
}

}  // namespace minichat::lab
