// Clients that don't read, services that hang, the largest messages, and no descriptors left: what
// the others notice of it.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/cluster/cluster_fixture.h"

namespace minichat::test {
namespace {

class EdgeTest : public ClusterTest {
 protected:
  void TearDown() override {
    ::unsetenv("MINICHAT_BIN");
    if (ServiceSet* set = ServiceSet::Shared()) {
      set->redis().Resume();
      set->kafka().Signal(SIGCONT);
      set->postgres().SignalAll(SIGCONT);
    }
    ClusterTest::TearDown();
  }
  // The nodes that follow may have so many file descriptors.
  void LimitDescriptors(int count) {
    const auto script = dir_.path() / "limited";
    std::ofstream(script) << "#!/bin/sh\nulimit -n " << count << "\nexec " << MinichatBinary()
                          << " \"$@\"\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    ::setenv("MINICHAT_BIN", script.c_str(), 1);
  }
  double Resident(std::size_t node) {
    return cluster().node(node).Metrics().Sum("process_resident_memory_bytes");
  }

  ScratchDir dir_{"minichat-cluster-edge"};
};

milliseconds Percentile99(std::vector<milliseconds> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? milliseconds::max() : times[times.size() * 99 / 100];
}

// Sends `count` messages at an even rate, and waits for their answers.
class Stream {
 public:
  Stream(loadtest::ClientLoop& loop, ChatSession& sender, std::string room, std::size_t bytes)
      : loop_(loop), sender_(sender), room_(std::move(room)), text_(bytes, 'x') {}

  void Start(std::size_t count, milliseconds apart) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < count; ++i) {
      const auto due = start + apart * i;
      loop_.At(due, [this, due, i] {
        const auto rid = sender_.Send(room_, "c-" + std::to_string(i), text_);
        sender_.OnReply(rid, [this, due](const Reply& reply) {
          if (reply.ok()) ++acked_;
          ++answered_;
          took_.push_back(std::chrono::duration_cast<milliseconds>(reply.at - due));
        });
      });
    }
  }
  std::size_t answered() const { return answered_; }
  std::size_t acked() const { return acked_; }
  const std::vector<milliseconds>& took() const { return took_; }

 private:
  loadtest::ClientLoop& loop_;
  ChatSession& sender_;
  const std::string room_;
  const std::string text_;
  std::size_t answered_ = 0;
  std::size_t acked_ = 0;
  std::vector<milliseconds> took_;
};

// B03.
TEST_F(EdgeTest, ClientsThatStopReadingAreClosedAndMissNothingOnceTheyAreBack) {
  StartCluster({.nodes = 2});
  const std::string room = NewRoom();
  auto sender = OpenIn(1, "ann", room);
  auto reader = OpenIn(0, "bob", room);
  std::vector<std::unique_ptr<ChatSession>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(OpenIn(0, "slow-" + std::to_string(i), room));
    slow.back()->connection().SetReading(false);
  }
  const double before = Resident(0);
  constexpr std::size_t kMessages = 4'000;
  Stream stream(loop(), *sender, room, 2'048);

  stream.Start(kMessages, milliseconds(2));
  ASSERT_TRUE(Until([&] { return stream.answered() == kMessages; }, seconds(60)));

  const auto closed = [&] {
    return cluster().node(0).Metrics().Sum("minichat_closes_total", {{"reason", "slow_reader"}});
  };
  EXPECT_TRUE(Until([&] { return closed() == 20; }, seconds(15), milliseconds(100)));
  EXPECT_EQ(stream.acked(), kMessages);
  EXPECT_LT(Percentile99(stream.took()), seconds(1));
  EXPECT_LT(Resident(0), before + (64 << 20));
  ASSERT_TRUE(Until([&] { return reader->room(room).deliveries.size() == kMessages; }));
  EXPECT_FALSE(reader->closed());
  for (auto& session : slow) {
    session->connection().SetReading(true);
    ASSERT_TRUE(Until([&] { return session->closed(); }));
    const Seq last = session->room(room).last;
    const std::size_t had = session->room(room).deliveries.size();
    EXPECT_LT(had, kMessages);
    const std::string user = session->user();
    session = Open(1, user, {{room, last}});
    ASSERT_TRUE(Until([&] { return session->room(room).last == reader->room(room).last; }));
    EXPECT_EQ(had + session->room(room).deliveries.size(), kMessages) << user;
    EXPECT_TRUE(session->room(room).gaps.empty());
    session.reset();
  }
}

// B18. The node's own threads wait for nothing that a service does: a client that asks for nothing
// of it notices nothing.
TEST_F(EdgeTest, HangingServicesDelayNoPing) {
  StartCluster({.nodes = 2});
  const std::string room = NewRoom();
  auto sender = OpenIn(0, "ann", room);
  auto idle = Open(0, "bob");
  std::vector<milliseconds> took;
  const auto ping_for = [&](seconds time) {
    const auto end = Clock::now() + time;
    for (int i = 0; Clock::now() < end; ++i) {
      // Someone wants something of every service all the while.
      sender->Send(room, "c-" + std::to_string(took.size()), "hi");
      sender->HistoryAfter(room, 0, 10);
      const auto asked = Clock::now();
      const Reply pong = Await(*idle, idle->Request({{"op", "ping"}}), seconds(12));
      took.push_back(std::chrono::duration_cast<milliseconds>(pong.at - asked));
      Until([&] { return Clock::now() > asked + milliseconds(20); });
    }
  };
  const std::vector<std::pair<const char*, std::function<void(int)>>> services_to_stop = {
      {"redis",
       [&](int signal) {
         if (signal == SIGSTOP) {
           services().redis().Pause();
         } else {
           services().redis().Resume();
         }
       }},
      {"postgres", [&](int signal) { services().postgres().SignalAll(signal); }},
      {"kafka", [&](int signal) { services().kafka().Signal(signal); }},
  };
  for (const auto& [name, tell] : services_to_stop) {
    took.clear();
    tell(SIGSTOP);
    ping_for(seconds(10));
    tell(SIGCONT);

    ASSERT_GT(took.size(), 100u) << name;
    EXPECT_LT(Percentile99(took), milliseconds(100)) << name;
    // One that waited for the service would have waited for half a second at least.
    EXPECT_LT(*std::max_element(took.begin(), took.end()), milliseconds(400)) << name;
    EXPECT_FALSE(idle->closed());
    EXPECT_TRUE(Until([&] { return cluster().node(0).Ready(); }, seconds(30), milliseconds(50)));
  }
}

// G07.
TEST_F(EdgeTest, TheLargestMessageToTheLongestListGoesInChunksAndArrivesOnce) {
  StartCluster({.nodes = 2, .flags = {{"relay.mode", "bulk"}}});
  const std::string room = NewRoom();
  auto sender = OpenIn(0, "ann", room);
  std::vector<std::unique_ptr<ChatSession>> members;
  constexpr std::size_t kMembers = 1'100;  // of 512 a call
  for (std::size_t i = 0; i < kMembers; ++i) {
    members.push_back(
        std::make_unique<ChatSession>(loop(), cluster().node(1).client(),
                                      // As long as names may be.
                                      std::string(59, 'u') + "-" + std::to_string(1'000 + i)));
  }
  const auto all = [&](auto holds) {
    return [&members, holds] { return std::all_of(members.begin(), members.end(), holds); };
  };
  ASSERT_TRUE(Until(all([](const auto& member) { return member->welcome(); }), seconds(30)));
  for (const auto& member : members) member->Join(room);
  ASSERT_TRUE(
      Until(all([&](const auto& member) { return member->room(room).joined; }), seconds(30)));
  const double calls = cluster().node(0).Metrics().Sum("minichat_relay_calls_total");
  std::string text;
  while (text.size() < 4'096) text += "\xf0\x9f\x98\x80";

  ASSERT_TRUE(SendAndWait(*sender, room, "c-1", text).ok());

  EXPECT_TRUE(Until(all([&](const auto& m) { return m->room(room).deliveries.size() == 1; })));
  EXPECT_TRUE(all([&](const auto& m) { return m->room(room).deliveries[0].text == text; })());
  EXPECT_TRUE(Until(
      [&] { return cluster().node(0).Metrics().Sum("minichat_relay_calls_total") == calls + 3; }));
  EXPECT_EQ(HoleAndSweepPulls(), 0);
  EXPECT_EQ(SendAndWait(*sender, room, "c-2", text + "x").code, "too_large");
}

TEST_F(EdgeTest, ACrowdOfClientsLeavesDescriptorsForLinks) {
  LimitDescriptors(160);
  StartCluster({.nodes = 2});
  const std::string room = NewRoom();
  auto ann = OpenIn(0, "ann", room);
  auto bob = OpenIn(1, "bob", room);
  std::vector<loadtest::Fd> crowd;
  for (int i = 0; i < 400; ++i) {
    auto fd = loadtest::StartConnect(cluster().node(0).client());
    if (fd.ok()) crowd.push_back(std::move(fd).value());
  }
  const auto refused = [&] {
    return cluster().node(0).Metrics().Sum("minichat_connections_refused_total",
                                           {{"reason", "descriptors"}});
  };
  ASSERT_TRUE(Until([&] { return refused() > 100; }));

  services().redis().Restart();

  ASSERT_TRUE(Until([&] { return !cluster().node(0).Ready(); }, seconds(5)));
  EXPECT_TRUE(Until([&] { return cluster().node(0).Ready(); }, seconds(30), milliseconds(50)));
  const auto sent = [&] { return SendAndWait(*bob, room, "c-1", "hi", true).ok(); };
  EXPECT_TRUE(Until(sent, seconds(20), milliseconds(200)));
  EXPECT_TRUE(Until([&] { return ann->room(room).deliveries.size() == 1; }));
  EXPECT_EQ(cluster().node(0).Metrics().Sum("minichat_accept_errors_total"), 0);
}

}  // namespace
}  // namespace minichat::test
