// Redis, Kafka and Postgres away, frozen, empty, or cut at the worst moment.
#include <algorithm>
#include <csignal>
#include <set>

#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

class ServiceFaultsTest : public ClusterTest {
 protected:
  void TearDown() override {
    if (ServiceSet* set = ServiceSet::Shared()) {
      set->redis().Resume();
      set->kafka().Signal(SIGCONT);
    }
    ClusterTest::TearDown();
  }

  // The body of /readyz while it is not ready; empty when it stayed ready.
  std::string NotReadyBody(std::size_t node, milliseconds limit = seconds(15)) {
    std::string body;
    const auto unready = [&] {
      const auto answer = loadtest::CallHttp(cluster().node(node).admin(), {.path = "/readyz"});
      if (!answer.ok() || answer->status == 200) return false;
      body = answer->body;
      return true;
    };
    Until(unready, limit, milliseconds(50));
    return body;
  }
  bool ReadyAgain(std::size_t node) {
    return Until([&] { return cluster().node(node).Ready(); }, seconds(30), milliseconds(50));
  }
};

TEST_F(ServiceFaultsTest, RedisRestartedEmptyUnderLoadLosesNothing) {
  StartCluster();
  const std::string room = NewRoom();
  std::vector<std::unique_ptr<RoamingUser>> users;
  for (std::size_t i = 0; i < 6; ++i) {
    users.push_back(std::make_unique<RoamingUser>(loop(), cluster().ClientEndpoints(), i % 3,
                                                  "user-" + std::to_string(i),
                                                  std::vector<std::string>{room}));
  }
  const auto all = [&](auto holds) {
    return [&users, holds] { return std::all_of(users.begin(), users.end(), holds); };
  };
  ASSERT_TRUE(Until(all([](const auto& user) { return user->settled(); })));
  constexpr std::size_t kMessages = 600;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < kMessages; ++i) {
    loop().At(start + milliseconds(10 * i), [&, i] {
      users[i % users.size()]->Send(room, "c-" + std::to_string(i), "m-" + std::to_string(i));
    });
  }

  ASSERT_TRUE(Until([&] { return users[0]->room(room).ids.size() > 200; }));
  services().redis().Restart();

  ASSERT_TRUE(Until([&] { return Clock::now() > start + milliseconds(10 * kMessages); }));
  ASSERT_TRUE(Until(all([](const auto& user) { return user->pending() == 0; }), seconds(40)));
  std::set<std::string> acked;
  for (const auto& user : users) {
    for (const auto& [cid, ack] : user->acked()) acked.insert(ack.id);
  }
  EXPECT_EQ(acked.size(), kMessages);
  const auto everywhere =
      all([&](const auto& user) { return user->room(room).ids.size() >= acked.size(); });
  EXPECT_TRUE(Until(everywhere, seconds(20)));
  for (const auto& user : users) {
    for (const std::string& id : acked) {
      EXPECT_TRUE(user->room(room).ids.contains(id)) << user->user() << " lacks " << id;
    }
    // Sessions that lived through the change had passed everything once; only one that resumed
    // around that moment may have something twice.
    if (user->connects() == 1) {
      EXPECT_EQ(user->room(room).twice, 0u) << user->user();
    }
    EXPECT_EQ(user->room(room).out_of_order, 0u) << user->user();
    EXPECT_GT(user->room(room).last, Seq{1} << 32) << "not a new generation";
  }
  const auto rows = RowsOnce(room, kMessages, seconds(30));
  const std::vector<std::string> ids = IdsOf(rows);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()), acked);
  EXPECT_EQ(ids.size(), acked.size());
}

TEST_F(ServiceFaultsTest, AFrozenKafkaIsAnErrorInTimeAndSessionsStay) {
  StartCluster();
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  auto bob = OpenIn(1, "bob", room);
  ASSERT_EQ(SendAndWait(*ann, room, "c-0", "before").op, "ack");
  services().kafka().Signal(SIGSTOP);

  const auto asked = Clock::now();
  const Reply refused = SendAndWait(*ann, room, "c-1", "meanwhile");
  EXPECT_TRUE(refused.code == "unknown" || refused.code == "unavailable") << refused.code;
  EXPECT_LE(Clock::now() - asked, milliseconds(5'500));
  EXPECT_EQ(Await(*bob, bob->Request({{"op", "ping"}}), seconds(1)).op, "pong");
  EXPECT_FALSE(ann->closed());
  services().kafka().Signal(SIGCONT);

  Reply retry;
  const auto acked = [&] {
    retry = SendAndWait(*ann, room, "c-1", "meanwhile", true);
    return retry.ok();
  };
  EXPECT_TRUE(Until(acked, seconds(30), milliseconds(200))) << retry.code;
  EXPECT_TRUE(Until([&] { return bob->room(room).last == retry.Number("seq"); }));
  EXPECT_EQ(bob->room(room).deliveries.size(), 2u);
  EXPECT_EQ(RowsOnce(room, 2).size(), 2u);
}

TEST_F(ServiceFaultsTest, WarmRoomsChatOnWithoutPostgres) {
  StartCluster();
  const loadtest::Cluster description = cluster().Description();
  const LoadPlan plan({.nodes = 3, .rooms = 2, .members = 6, .messages = 400, .rate = 100},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  // Rooms that are used: the first message of a generation may look for its id in Postgres.
  const auto start = Clock::now();
  loop().At(start + milliseconds(500), [&] { services().postgres().Stop(); });
  loop().At(start + milliseconds(3'000), [&] { services().postgres().Start(); });

  run.Send(seconds(20));

  ExpectComplete(plan, run);
}

TEST_F(ServiceFaultsTest, ACommitWhoseReplyIsLostIsOneRowEach) {
  TcpGate gate({"127.0.0.1", services().postgres().port()});
  const std::string url = services().database_url();
  const std::size_t at = url.find("127.0.0.1:");
  const std::size_t slash = url.find('/', at);
  StartCluster(
      {.flags = {{"store", url.substr(0, at) + gate.address().ToString() + url.substr(slash)}}});
  const loadtest::Cluster description = cluster().Description();
  const LoadPlan plan({.nodes = 3, .rooms = 4, .members = 3, .messages = 600, .rate = 100},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  gate.CutAfter("COMMIT", 10);

  run.Send(seconds(20));

  ExpectComplete(plan, run);
  EXPECT_EQ(gate.counts().swallowed_replies, 10u);
}

TEST_F(ServiceFaultsTest, RecordsThatCannotBeReadGoToTheDeadLettersAndTheRestGoesOn) {
  StartCluster();
  const loadtest::Cluster description = cluster().Description();
  loadtest::KafkaInspector kafka(services().kafka().brokers());
  loadtest::PostgresInspector postgres(services().database_url());
  const auto dead = [&] {
    const auto count = postgres.Query("SELECT count(*) FROM dead_letters");
    return count.ok() ? std::stoi(*count) : -1;
  };
  const int before = dead();
  ASSERT_GE(before, 0);
  ASSERT_TRUE(kafka.Append("room-a", "").ok());
  ASSERT_TRUE(kafka.Append("room-b", std::string("\xff\xfe\x00\x01garbage", 11)).ok());
  ASSERT_TRUE(kafka.Append("room-c", "{\"half\": ").ok());
  ASSERT_TRUE(kafka.Append("room-d", std::string("\x0a\x10short", 7)).ok());
  ASSERT_TRUE(kafka.AppendNull("room-e").ok());

  // Enough rooms to have some behind each bad record.
  const LoadPlan plan({.nodes = 3, .rooms = 24, .members = 3, .messages = 240, .rate = 200},
                      NewRoom());
  LoadRun run(loop(), description, plan);
  ASSERT_TRUE(run.Connect(seconds(15)).ok());
  run.Send(seconds(10));

  ExpectComplete(plan, run);
  EXPECT_TRUE(Until([&] { return dead() == before + 5; }, seconds(15), milliseconds(100)))
      << dead() - before;
  EXPECT_EQ(cluster().Sum("minichat_dead_letters_total"), 5);
  EXPECT_TRUE(postgres
                  .Query("SELECT 1 FROM dead_letters WHERE topic = 'minichat.messages' AND "
                         "partition >= 0 AND kafka_offset >= 0 AND error <> '' LIMIT 1")
                  .ok());
}

TEST_F(ServiceFaultsTest, ReadinessNamesTheMissingService) {
  StartCluster({.nodes = 1});
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);

  services().redis().Pause();
  EXPECT_NE(NotReadyBody(0).find("redis"), std::string::npos);
  services().redis().Resume();
  EXPECT_TRUE(ReadyAgain(0));

  // A broker that hangs is noticed once something was sent to it.
  services().kafka().Signal(SIGSTOP);
  ann->Send(room, "c-1", "meanwhile");
  EXPECT_NE(NotReadyBody(0).find("kafka"), std::string::npos);
  services().kafka().Signal(SIGCONT);
  EXPECT_TRUE(ReadyAgain(0));

  services().postgres().Stop();
  EXPECT_NE(NotReadyBody(0).find("postgres"), std::string::npos);
  services().postgres().Start();
  EXPECT_TRUE(ReadyAgain(0));
}

TEST_F(ServiceFaultsTest, AFrozenRedisHoldsUpNobodysPing) {
  StartCluster();
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  services().redis().Pause();

  const auto send = ann->Send(room, "c-1", "meanwhile");
  for (int i = 0; i < 20; ++i) {
    const auto asked = Clock::now();
    EXPECT_EQ(Await(*ann, ann->Request({{"op", "ping"}})).op, "pong");
    EXPECT_LE(Clock::now() - asked, milliseconds(250));
  }
  const Reply refused = Await(*ann, send);
  EXPECT_TRUE(refused.code == "unavailable" || refused.code == "unknown") << refused.code;
  services().redis().Resume();

  Reply retry;
  const auto acked = [&] {
    retry = SendAndWait(*ann, room, "c-1", "meanwhile", true);
    return retry.ok();
  };
  EXPECT_TRUE(Until(acked, seconds(15), milliseconds(100))) << retry.code;
  EXPECT_EQ(RowsOnce(room, 1).size(), 1u);
}

}  // namespace
}  // namespace minichat::test
