// The load generator on three nodes, in each relay mode: exact, also by what Postgres and Kafka
// hold.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/cluster/cluster_fixture.h"
#include "tests/support/load_process.h"

namespace minichat::test {
namespace {

class LoadTest : public ClusterTest {
 protected:
  // As ./dev up leaves it.
  std::string WriteClusterFile() {
    boost::json::array nodes;
    for (const loadtest::ClusterNode& node : cluster().Description().nodes) {
      nodes.push_back({{"name", node.name},
                       {"pid", node.pid},
                       {"client", node.client.ToString()},
                       {"admin", node.admin.ToString()},
                       {"relay", node.relay.ToString()}});
    }
    const auto path = dir_.path() / "cluster.json";
    std::ofstream(path) << boost::json::serialize(
        boost::json::object{{"nodes", nodes}, {"auth", "insecure"}});
    return path.string();
  }
  void EnterMode(const std::string& mode) {
    const loadtest::ClusterAdmin admin(cluster().Description());
    ASSERT_TRUE(admin.SetClusterMode(mode).ok());
    ASSERT_TRUE(Until([&] { return admin.AllNodesIn(mode); }, seconds(10), milliseconds(50)));
  }
  double Calls(const std::string& mode) {
    return cluster().Sum("minichat_relay_calls_total", {{"mode", mode}, {"code", "OK"}});
  }
  std::vector<std::string> LinesOf(const std::filesystem::path& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  ScratchDir dir_{"minichat-load"};
};

TEST_F(LoadTest, IsExactInEachModeAndItsIdsAreThoseInPostgresAndItsCallsThoseOfTheNodes) {
  StartCluster();
  const std::string file = WriteClusterFile();
  for (const std::string mode : {"single", "bulk", "stream"}) {
    EnterMode(mode);
    const std::string label = NewRoom();
    const auto ids = dir_.path() / ("ids-" + mode);
    const double calls_before = Calls(mode);

    LoadProcess load(dir_, {"--cluster", file, "--members", "31", "--talkers", "5", "--rate", "30",
                            "--duration", "3s", "--drain", "20s", "--rooms", "2", "--label", label,
                            "--ids-file", ids.string()});

    ASSERT_EQ(load.Wait(), 0) << mode << "\n" << load.Output() << cluster().LogTails();
    const auto report = load.Report();
    EXPECT_EQ(report.at("counts").at("acked").to_number<int>(), 90) << mode;
    EXPECT_EQ(report.at("counts").at("received").to_number<int>(), 90 * 31) << mode;
    auto stored = IdsOf(RowsOnce(label + "-room", 45));
    for (const std::string& id : IdsOf(RowsOnce(label + "-room1", 45))) stored.push_back(id);
    std::sort(stored.begin(), stored.end());
    EXPECT_EQ(LinesOf(ids), stored) << mode;
    const auto wanted = report.at("relay_calls").at(mode == "single" ? mode : "bulk");
    EXPECT_TRUE(Until([&] { return Calls(mode) - calls_before >= wanted.to_number<double>(); }));
    EXPECT_EQ(Calls(mode) - calls_before, wanted.to_number<double>()) << mode;
  }
}

// Without repair messages may overtake each other; they come all the same, each once.
TEST_F(LoadTest, InTheClassicShapeAllComesThoughOrderIsNotPromised) {
  StartCluster({.flags = {{"lab.enabled", "true"}, {"lab.profile", "classic"}}});
  const std::string file = WriteClusterFile();
  for (const std::string mode : {"single", "bulk"}) {
    EnterMode(mode);

    LoadProcess load(dir_, {"--cluster", file, "--members", "30", "--talkers", "30", "--rate", "60",
                            "--duration", "3s", "--drain", "20s", "--allow-misordered"});

    ASSERT_EQ(load.Wait(), 0) << mode << "\n" << load.Output() << cluster().LogTails();
    const auto report = load.Report();
    EXPECT_EQ(report.at("counts").at("received").to_number<int>(), 180 * 30) << mode;
    EXPECT_EQ(report.at("counts").at("lost").to_number<int>(), 0) << mode;
    EXPECT_EQ(report.at("counts").at("repeated").to_number<int>(), 0) << mode;
  }
}

}  // namespace
}  // namespace minichat::test
