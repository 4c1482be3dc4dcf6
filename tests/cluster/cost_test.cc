// What a message costs: one Redis script, one record, and nothing per recipient.
#include <map>
#include <sstream>

#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

using Calls = std::map<std::string, std::int64_t>;  // by command

class CostTest : public ClusterTest {
 protected:
  Calls CommandCalls() {
    std::istringstream info(services().redis().Command({"INFO", "commandstats"}));
    Calls calls;
    std::string line;
    while (std::getline(info, line)) {
      const std::size_t colon = line.find(":calls=");
      if (!line.starts_with("cmdstat_") || colon == std::string::npos) continue;
      calls[line.substr(8, colon - 8)] = std::stoll(line.substr(colon + 7));
    }
    return calls;
  }

  // Commands during `work`.
  template <class Work>
  Calls CallsDuring(Work work) {
    const Calls before = CommandCalls();
    work();
    Calls after = CommandCalls();
    for (const auto& [command, count] : before) after[command] -= count;
    return after;
  }
};

TEST_F(CostTest, AMessageIsOneScriptAndNothingPerRecipient) {
  // Without persisters, whose batches would hide the senders' own work.
  StartCluster({.flags = {{"node.roles", "chat"}}});
  constexpr std::size_t kMessages = 400;
  constexpr std::size_t kMembers = 60;
  const loadtest::Cluster description = cluster().Description();
  const LoadPlan warm({.nodes = 3, .rooms = 1, .members = kMembers, .messages = 20, .rate = 100},
                      NewRoom());
  const LoadPlan plan(
      {.nodes = 3, .rooms = 1, .members = kMembers, .messages = kMessages, .rate = 100}, NewRoom());
  LoadRun warming(loop(), description, warm);
  ASSERT_TRUE(warming.Connect(seconds(15)).ok());
  warming.Send(seconds(10));
  warming.Close();
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  loadtest::KafkaInspector kafka(services().kafka().brokers());
  const auto log_before = kafka.Ends();

  Calls idle = CallsDuring([&] { loop().RunFor(seconds(4)); });
  Calls busy = CallsDuring([&] { run.Send(seconds(10)); });

  EXPECT_EQ(run.acked(), kMessages);
  EXPECT_EQ(run.delivered(), kMessages * kMembers);
  // The first message makes each node read the room's routes; heartbeats and sweeps vary a little.
  constexpr std::int64_t kSlack = 40;
  const std::int64_t scripts = busy["evalsha"] + busy["eval"] - idle["evalsha"] - idle["eval"];
  EXPECT_NEAR(static_cast<double>(scripts), kMessages, kSlack);
  for (const auto& [command, count] : busy) {
    // Commands inside the script count as well: a few per message, far from one per recipient.
    EXPECT_LT(count - idle[command], static_cast<std::int64_t>(kMessages * kMembers / 4))
        << command;
  }
  const auto log_after = kafka.Ends();
  ASSERT_TRUE(log_before.ok() && log_after.ok());
  EXPECT_EQ(loadtest::Increase(*log_before, *log_after), static_cast<std::int64_t>(kMessages));
}

}  // namespace
}  // namespace minichat::test
