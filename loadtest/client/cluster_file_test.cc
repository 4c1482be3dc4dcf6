#include "loadtest/client/cluster_file.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

constexpr std::string_view kText = R"({
  "nodes": [{"name": "n1", "pid": 12, "client": "127.0.0.1:8081", "admin": "127.0.0.1:9101",
             "relay": "127.0.0.1:7101"}],
  "redis": "redis://127.0.0.1:1/0", "kafka": "127.0.0.1:2", "postgres": "postgresql://x",
  "relay_mode": "bulk", "auth": "insecure", "admin_key": null})";

TEST(ClusterFileTest, ReadsWhatToolsNeed) {
  const auto cluster = ParseCluster(kText);

  ASSERT_TRUE(cluster.ok()) << cluster.status().ToString();
  ASSERT_EQ(cluster->nodes.size(), 1u);
  EXPECT_EQ(cluster->nodes[0].name, "n1");
  EXPECT_EQ(cluster->nodes[0].pid, 12);
  EXPECT_EQ(cluster->nodes[0].client, (Endpoint{"127.0.0.1", 8081}));
  EXPECT_EQ(cluster->nodes[0].relay, (Endpoint{"127.0.0.1", 7101}));
  EXPECT_EQ(cluster->kafka, "127.0.0.1:2");
  EXPECT_EQ(cluster->auth, "insecure");
  EXPECT_EQ(cluster->admin_key, "");
}

TEST(ClusterFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(ParseCluster("[]").status().message(), "cluster: not a JSON object");
  EXPECT_EQ(ParseCluster(R"({"nodes":[]})").status().message(), "cluster: no nodes");
  EXPECT_EQ(ParseCluster(R"({"nodes":[{"client":"127.0.0.1:x"}]})").status().message(),
            "endpoint: bad port in '127.0.0.1:x'");
  EXPECT_EQ(ReadClusterFile("/nowhere/cluster.json").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace minichat::loadtest
