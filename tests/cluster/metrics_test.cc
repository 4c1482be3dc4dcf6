// Names of metrics are an interface: dashboards, alerts and tests use them.
#include <fstream>
#include <set>
#include <sstream>

#include "loadtest/client/http.h"
#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

constexpr char kGolden[] = "tests/golden/metrics.txt";  // tests run in the root of the checkout

using Names = std::set<std::string>;

class MetricsTest : public ClusterTest {
 protected:
  std::string Scrape(std::size_t node) { return Get(node, "/metrics"); }
  // A node relays only to nodes whose heartbeat it has seen.
  bool Knows(std::size_t node, const std::string& peer) {
    return Get(node, "/admin/v1/status").find("\"name\":\"" + peer + "\"") != std::string::npos;
  }

 private:
  std::string Get(std::size_t node, const std::string& path) {
    const auto answer = loadtest::CallHttp(cluster().node(node).admin(), {.path = path});
    return answer.ok() ? answer->body : "";
  }
};

// "name type" of each family.
Names FamiliesOf(const std::string& metrics) {
  constexpr std::string_view kMark = "# TYPE ";
  Names names;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) names.insert(line.substr(kMark.size()));
  }
  return names;
}

Names GoldenNames() {
  Names names;
  std::ifstream file(kGolden);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != '#') names.insert(line);
  }
  return names;
}

TEST_F(MetricsTest, NodesServeExactlyTheNamesOfTheGoldenList) {
  StartCluster();
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  auto bob = OpenIn(1, "bob", room);
  ASSERT_TRUE(Until([&] { return Knows(0, "n2"); }));
  ASSERT_TRUE(SendAndWait(*ann, room, "c-1", "hi").ok());
  ASSERT_TRUE(Until([&] { return bob->room(room).deliveries.size() == 1; }));

  // A relay call is counted when its answer is back, after the delivery.
  ASSERT_TRUE(Until([&] { return cluster().Sum("minichat_relay_calls_total") > 0; }));

  const Names served = FamiliesOf(Scrape(0));

  const Names golden = GoldenNames();
  for (const std::string& name : served) {
    EXPECT_TRUE(golden.contains(name)) << "not in " << kGolden << ": " << name;
  }
  for (const std::string& name : golden) {
    EXPECT_TRUE(served.contains(name)) << "served no more: " << name;
  }
}

TEST_F(MetricsTest, NoLabelNamesAUserARoomOrAnAddress) {
  StartCluster();
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "user-in-no-label", room);
  ASSERT_TRUE(SendAndWait(*ann, room, "c-1", "hi").ok());

  const std::string metrics = Scrape(0);

  EXPECT_EQ(metrics.find("user-in-no-label"), std::string::npos);
  EXPECT_EQ(metrics.find(room), std::string::npos);
  EXPECT_EQ(metrics.find("127.0.0.1"), std::string::npos);
}

}  // namespace
}  // namespace minichat::test
