#include "relay/mailbox.h"

#include <deque>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/core_thread.h"

namespace minichat::relay {
namespace {

// Keeps what is posted until the test runs it.
class PostedWork final : public Scheduler {
 public:
  TimePoint Now() const override { return {}; }
  TimePoint BootNow() const override { return {}; }
  std::int64_t WallMillis() const override { return 0; }
  void Post(Work work) override { posted.push_back(std::move(work)); }
  TimerId RunAfter(Duration, Work) override { return 1; }
  void Cancel(TimerId) override {}
  std::uint64_t Random() override { return 0; }

  void RunNext() {
    Work work = std::move(posted.front());
    posted.pop_front();
    work();
  }

  std::deque<Work> posted;
};

class MailboxTest : public ::testing::Test {
 protected:
  PostedWork scheduler;
  std::vector<std::vector<int>> turns;
  std::shared_ptr<Mailbox<int>> mailbox = std::make_shared<Mailbox<int>>(
      scheduler, [this](std::vector<int> items) { turns.push_back(std::move(items)); });
};

TEST_F(MailboxTest, BurstCostsOnePost) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(mailbox->Push(i));
  EXPECT_EQ(scheduler.posted.size(), 1u);

  scheduler.RunNext();

  EXPECT_EQ(turns, (std::vector<std::vector<int>>{{0, 1, 2}}));
}

TEST_F(MailboxTest, SeveralAtOnceCostOnePostToo) {
  EXPECT_TRUE(mailbox->PushAll({1, 2}));
  EXPECT_TRUE(mailbox->PushAll({}));
  EXPECT_TRUE(mailbox->PushAll({3}));
  EXPECT_EQ(scheduler.posted.size(), 1u);

  scheduler.RunNext();

  EXPECT_EQ(turns, (std::vector<std::vector<int>>{{1, 2, 3}}));
}

TEST_F(MailboxTest, PostsAgainAfterATurn) {
  mailbox->Push(1);
  scheduler.RunNext();
  mailbox->Push(2);
  ASSERT_EQ(scheduler.posted.size(), 1u);

  scheduler.RunNext();

  EXPECT_EQ(turns, (std::vector<std::vector<int>>{{1}, {2}}));
}

TEST_F(MailboxTest, TurnAfterHandlePendingDoesNothing) {
  mailbox->Push(1);
  mailbox->HandlePending();

  scheduler.RunNext();

  EXPECT_EQ(turns.size(), 1u);
}

TEST_F(MailboxTest, CloseGivesBackTheRestAndTakesNoMore) {
  mailbox->Push(1);

  EXPECT_EQ(mailbox->Close(), std::vector<int>{1});

  EXPECT_FALSE(mailbox->Push(2));
  EXPECT_FALSE(mailbox->PushAll({3, 4}));
  scheduler.RunNext();
  EXPECT_TRUE(turns.empty());
  EXPECT_TRUE(scheduler.posted.empty());
}

TEST_F(MailboxTest, PostedTurnOutlivesItsOwner) {
  mailbox->Push(1);
  mailbox->Close();
  mailbox.reset();

  scheduler.RunNext();

  EXPECT_TRUE(turns.empty());
}

// As gRPC's threads push while the core thread takes; for ThreadSanitizer above all.
TEST(MailboxThreadsTest, EachItemComesOnceAndEachThreadsInOrder) {
  constexpr int kThreads = 3;
  constexpr int kItems = 2'000;
  tests::CoreThread core;
  std::vector<std::vector<int>> seen(kThreads);
  auto mailbox = std::make_shared<Mailbox<std::pair<int, int>>>(
      core.scheduler, [&](const std::vector<std::pair<int, int>>& items) {
        for (const auto& [thread, item] : items) seen[thread].push_back(item);
      });

  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int item = 0; item < kItems; ++item) mailbox->Push({thread, item});
      });
    }
  }
  core.Run([&] { EXPECT_TRUE(mailbox->Close().empty()); });

  std::vector<int> all(kItems);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, std::vector<std::vector<int>>(kThreads, all));
}

}  // namespace
}  // namespace minichat::relay
