// Three nodes with nothing wrong: order, retries, and relay calls exactly as the mode says.
#include <array>

#include "loadtest/smoke/smoke.h"
#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

class FairWeatherTest : public ClusterTest {};

TEST_F(FairWeatherTest, AllSessionsAndHistorySeeOneOrderWhenNodesPublishAtOnce) {
  StartCluster();
  const loadtest::Cluster description = cluster().Description();
  const LoadPlan plan({.nodes = 3, .rooms = 1, .members = 6, .messages = 600, .rate = 200},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());

  run.Send(seconds(15));

  ExpectComplete(plan, run);
  auto reader = OpenIn(1, "reader", plan.Room(0));
  EXPECT_EQ(IdsOf(History(*reader, plan.Room(0))), IdsOf(run.ViewOf(0, 0).deliveries));
}

// Also that nobody had to pull and that the relay calls are exactly the mode's: a broken relay
// would hide behind the sweep. A node that gets no CPU for over 50 ms may pull, so the load is
// gentle.
TEST_F(FairWeatherTest, SmokeFindsNoDifferenceInAnyMode) {
  StartCluster();
  loadtest::SmokeOptions options;
  options.messages = 180;
  options.rate = 50;
  options.rooms = 3;
  options.members = 7;
  loadtest::Smoke smoke(cluster().Description(), options);

  const auto result = smoke.Run();

  ASSERT_TRUE(result.ok()) << result.status().ToString();
  for (const auto& mode : result->modes) {
    for (const std::string& difference : mode.differences) {
      ADD_FAILURE() << mode.mode << ": " << difference;
    }
  }
  EXPECT_EQ(result->modes.size(), 3u);
}

TEST_F(FairWeatherTest, AnInterruptedSmokeSetsTheModeOfBeforeAgain) {
  StartCluster();
  const loadtest::ClusterAdmin admin(cluster().Description());
  ASSERT_TRUE(admin.SetClusterMode("stream").ok());
  loadtest::SmokeOptions options;
  options.modes = {"single"};
  options.messages = 10'000;
  const auto in_stream = [&] { return admin.AllNodesIn("stream"); };
  loadtest::Smoke smoke(cluster().Description(), options, in_stream);

  const auto result = smoke.Run();

  EXPECT_EQ(result.status().message(), "smoke: interrupted");
  EXPECT_TRUE(Until(in_stream));
}

TEST_F(FairWeatherTest, TheSameCidOnTwoNodesIsOneMessage) {
  StartCluster();
  const std::string room = NewRoom();
  auto phone = OpenIn(0, "ann", room);
  auto laptop = OpenIn(1, "ann", room);
  auto other = OpenIn(2, "bob", room);

  const auto first = phone->Send(room, "c-1", "hi");
  const auto second = laptop->Send(room, "c-1", "hi");
  const Reply one = Await(*phone, first);
  const Reply two = Await(*laptop, second);

  ASSERT_EQ(one.op, "ack") << one.code;
  ASSERT_EQ(two.op, "ack") << two.code;
  EXPECT_EQ(one.Text("id"), two.Text("id"));
  EXPECT_EQ(one.Number("seq"), two.Number("seq"));
  EXPECT_NE(one.Flag("duplicate"), two.Flag("duplicate"));
  const Reply after = SendAndWait(*phone, room, "c-2", "next");
  for (ChatSession* session : {phone.get(), laptop.get(), other.get()}) {
    EXPECT_TRUE(Until([&] { return session->room(room).last == after.Number("seq"); }));
    EXPECT_EQ(SeqsOf(session->room(room).deliveries),
              (std::vector<Seq>{one.Number("seq"), after.Number("seq")}));
  }
  EXPECT_EQ(RowsOnce(room, 2).size(), 2u);
}

TEST_F(FairWeatherTest, TheSameCidWithAnotherTextIsRefusedOnAnyNode) {
  StartCluster();
  const std::string room = NewRoom();
  auto phone = OpenIn(0, "ann", room);
  auto laptop = OpenIn(1, "ann", room);

  const Reply first = SendAndWait(*phone, room, "c-1", "hi");
  const Reply conflict = SendAndWait(*laptop, room, "c-1", "something else");

  ASSERT_EQ(first.op, "ack") << first.code;
  EXPECT_EQ(conflict.code, "cid_conflict");
  const Reply next = SendAndWait(*phone, room, "c-2", "next");
  EXPECT_TRUE(Until([&] { return laptop->room(room).last == next.Number("seq"); }));
  EXPECT_EQ(laptop->room(room).deliveries.size(), 2u);
  const auto rows = RowsOnce(room, 2);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].body, "hi");
}

TEST_F(FairWeatherTest, ASwitchOfTheRelayModeUnderLoadLosesAndRepeatsNothing) {
  StartCluster();
  const loadtest::Cluster description = cluster().Description();
  const loadtest::ClusterAdmin admin(description);
  const LoadPlan plan({.nodes = 3, .rooms = 4, .members = 6, .messages = 1600, .rate = 200},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  const auto start = Clock::now();
  constexpr std::array kModes = {"single", "stream", "bulk", "stream", "single"};
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    loop().At(start + milliseconds(1'000) + milliseconds(1'400) * i,
              [&admin, i, kModes] { EXPECT_TRUE(admin.SetClusterMode(kModes[i]).ok()); });
  }

  run.Send(seconds(15));

  ExpectComplete(plan, run);
  for (const std::string mode : {"bulk", "single", "stream"}) {
    EXPECT_GT(cluster().Sum("minichat_relay_calls_total", {{"mode", mode}, {"code", "OK"}}), 0);
  }
  EXPECT_TRUE(admin.SetClusterMode(std::nullopt).ok());
}

TEST_F(FairWeatherTest, WhatTheEdgeRefusesIsNowhereStored) {
  StartCluster();
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  auto bob = OpenIn(1, "bob", room);
  loadtest::KafkaInspector kafka(services().kafka().brokers());
  const auto before = kafka.Ends();
  ASSERT_TRUE(before.ok());

  using Texts = std::vector<std::string>;
  for (const std::string& text : Texts{std::string("a\0b", 3), std::string(5'000, 'x')}) {
    EXPECT_FALSE(SendAndWait(*ann, room, "c-bad", text).ok());
  }
  EXPECT_FALSE(SendAndWait(*ann, room, "", "empty cid").ok());
  EXPECT_EQ(SendAndWait(*ann, NewRoom(), "c-1", "a room not joined").code, "not_member");
  const Reply good = SendAndWait(*ann, room, "c-good", "good");

  ASSERT_EQ(good.op, "ack") << good.code;
  const auto after = kafka.Ends();
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(loadtest::Increase(*before, *after), 1);
  EXPECT_TRUE(Until([&] { return bob->room(room).deliveries.size() == 1; }));
  EXPECT_EQ(bob->room(room).deliveries[0].id, good.Text("id"));
  EXPECT_EQ(RowsOnce(room, 1).size(), 1u);
}

}  // namespace
}  // namespace minichat::test
