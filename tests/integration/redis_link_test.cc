// RedisDirectory and a server that stalls, asks for a password, forgets, or goes away.
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "storage/redis/redis_directory.h"
#include "tests/support/redis_harness.h"
#include "tests/support/scratch_redis.h"

namespace minichat::test {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTrip = 500ms;

class LossCounter final : public core::RoomDirectory::Listener {
 public:
  void OnDirectoryLost() override { ++losses; }
  int losses = 0;
};

class RedisLinkTest : public testing::Test {
 protected:
  void StartServer(std::vector<std::string> arguments = {}) {
    server_ = ScratchRedis::Start(std::move(arguments));
    MINICHAT_NEED_REDIS(server_);
    Use(server_->Url());
  }
  void Use(const std::string& url, std::size_t max_pending = 20'000) {
    redis::RedisOptions options;
    options.url = url;
    options.max_pending = max_pending;
    directory_ = nullptr;
    directory_ = std::make_unique<redis::RedisDirectory>(scheduler_, options, registry_);
    directory_->SetListener(&listener_);
  }

  Deadline In(Duration duration) { return Deadline::After(scheduler_, duration); }
  bool Run(const std::function<bool()>& done) { return RunUntil(io_, done); }
  bool RunUntilLost(int losses = 1) {
    return Run([&, losses] { return listener_.losses >= losses; });
  }

  Result<std::string> Connect(Duration limit = 5s) {
    std::optional<Result<std::string>> answer;
    directory_->Connect(In(limit), [&](auto result) { answer = std::move(result); });
    EXPECT_TRUE(Run([&] { return answer.has_value(); }));
    return *answer;
  }
  template <class T, class Call>
  Result<T> Await(Call call) {
    std::optional<Result<T>> answer;
    call([&](Result<T> result) { answer = std::move(result); });
    EXPECT_TRUE(Run([&] { return answer.has_value(); }));
    return *answer;
  }
  Result<core::GenerationMark> GetGeneration() {
    return Await<core::GenerationMark>(
        [&](auto done) { directory_->GetGeneration(In(5s), std::move(done)); });
  }
  void OpenRoom() {
    ASSERT_TRUE(Await<core::GenerationMark>([&](auto done) {
                  directory_->SetGeneration(1, {}, In(5s), std::move(done));
                }).ok());
    ASSERT_TRUE(Await<core::LeaseOutcome>([&](auto done) {
                  directory_->Lease(room_, "t", 1, In(5s), std::move(done));
                }).ok());
    const auto warm = Await<core::WarmOutcome>([&](auto done) {
      directory_->Warm({room_, 1, "t", 0, false}, In(5s), std::move(done));
    });
    ASSERT_TRUE(warm.ok() && *warm == core::WarmOutcome::kDone);
  }
  void Commit(const std::string& cid, Duration limit, Callback<Result<core::CommitReply>> done) {
    core::CommitRequest request;
    request.message = core::MakeMessage(room_, core::UserId("alice"), core::ClientMessageId(cid),
                                        core::BodyKind::kText, "hello", 1);
    request.generation = 1;
    directory_->Commit(request, In(limit), std::move(done));
  }
  Result<core::CommitReply> CommitAndWait(const std::string& cid) {
    return Await<core::CommitReply>([&](auto done) { Commit(cid, 5s, std::move(done)); });
  }

  std::unique_ptr<ScratchRedis> server_;
  boost::asio::io_context io_;
  AsioScheduler scheduler_{io_};
  MetricsRegistry registry_;
  LossCounter listener_;
  std::unique_ptr<redis::RedisDirectory> directory_;
  const core::RoomId room_{"general"};
};

// ---- A server that stands still

TEST_F(RedisLinkTest, AnswersInTimeWhenTheServerStandsStill) {
  StartServer();
  if (server_ == nullptr) return;
  ASSERT_TRUE(Connect().ok());
  OpenRoom();
  server_->Pause();

  const TimePoint start = scheduler_.Now();
  std::vector<StatusCode> codes;
  for (int i = 0; i < 500; ++i) {
    Commit("c" + std::to_string(i), kTrip, [&](auto r) { codes.push_back(r.status().code()); });
  }
  ASSERT_TRUE(Run([&] { return codes.size() == 500; }));
  const Duration answered = scheduler_.Now() - start;
  ASSERT_TRUE(RunUntilLost());
  const Duration lost = scheduler_.Now() - start;

  EXPECT_EQ(std::count(codes.begin(), codes.end(), StatusCode::kDeadlineExceeded), 500);
  EXPECT_GE(answered, kTrip);
  EXPECT_LT(answered, kTrip + 400ms);
  EXPECT_LT(lost, 1500ms);
  EXPECT_FALSE(directory_->connected());
  EXPECT_EQ(CommitAndWait("later").status().code(), StatusCode::kUnavailable);
}

TEST_F(RedisLinkTest, ConnectsAndServesSoonAfterTheServerGoesOn) {
  StartServer();
  if (server_ == nullptr) return;
  const auto before = Connect();
  OpenRoom();
  server_->Pause();
  Commit("a", kTrip, [](auto) {});
  ASSERT_TRUE(RunUntilLost());
  const TimePoint start = scheduler_.Now();
  EXPECT_EQ(Connect(300ms).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_LT(scheduler_.Now() - start, 700ms);

  server_->Resume();
  const auto after = Connect();

  ASSERT_TRUE(after.ok());
  EXPECT_EQ(*after, *before);
  const auto placed = CommitAndWait("b");
  ASSERT_TRUE(placed.ok());
  EXPECT_EQ(placed->outcome, core::CommitReply::Outcome::kPlaced);
  EXPECT_EQ(listener_.losses, 1);
}

TEST_F(RedisLinkTest, OneCallsDeadlineEndsNoOther) {
  StartServer();
  if (server_ == nullptr) return;
  ASSERT_TRUE(Connect().ok());
  OpenRoom();
  server_->Pause();
  std::optional<StatusCode> hasty;
  std::optional<StatusCode> patient;
  Commit("a", 20ms, [&](auto r) { hasty = r.status().code(); });
  Commit("b", 5s, [&](auto r) { patient = r.status().code(); });

  ASSERT_TRUE(Run([&] { return hasty.has_value(); }));
  EXPECT_FALSE(patient.has_value());
  server_->Resume();
  ASSERT_TRUE(Run([&] { return patient.has_value(); }));

  EXPECT_EQ(*hasty, StatusCode::kDeadlineExceeded);
  EXPECT_EQ(*patient, StatusCode::kOk);
  EXPECT_EQ(listener_.losses, 0);
}

// ---- Login

TEST_F(RedisLinkTest, LogsInAndSelectsAtEachConnect) {
  StartServer({"--requirepass", "admin-secret"});
  if (server_ == nullptr) return;
  server_->Command({"AUTH", "admin-secret"});
  server_->Command({"ACL", "SETUSER", "chat", "on", ">chat-secret", "~*", "+@all"});
  for (const char* user_info : {":admin-secret", "chat:chat-secret"}) {
    server_->Command({"FLUSHALL"});
    listener_.losses = 0;
    Use(server_->Url(3, user_info));
    ASSERT_TRUE(Connect().ok());
    OpenRoom();
    ASSERT_TRUE(CommitAndWait("a").ok());

    server_->Command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    ASSERT_TRUE(RunUntilLost());
    ASSERT_TRUE(Connect().ok());
    const auto second = CommitAndWait("b");

    ASSERT_TRUE(second.ok()) << second.status().ToString();
    EXPECT_EQ(second->place.seq, 2u);
    server_->Command({"SELECT", "3"});
    EXPECT_NE(server_->Command({"DBSIZE"}), "0");
    server_->Command({"SELECT", "0"});
    EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
  }
}

TEST_F(RedisLinkTest, AWrongPasswordIsAnErrorThatDoesNotTellIt) {
  StartServer({"--requirepass", "right"});
  if (server_ == nullptr) return;
  for (const char* url : {"wrong-secret", ""}) {
    Use(server_->Url(0, *url != '\0' ? ":" + std::string(url) : ""));

    testing::internal::CaptureStderr();
    const auto result = Connect();
    const std::string log = testing::internal::GetCapturedStderr();

    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), StatusCode::kUnavailable);
    EXPECT_EQ(result.status().ToString().find("wrong-secret"), std::string::npos);
    EXPECT_EQ(log.find("wrong-secret"), std::string::npos) << log;
  }
}

TEST_F(RedisLinkTest, LooksNamesUp) {
  StartServer();
  if (server_ == nullptr) return;
  Use("redis://localhost:" + std::to_string(server_->port()));
  EXPECT_TRUE(Connect().ok());

  Use("redis://no-such-host.invalid:1");
  EXPECT_FALSE(Connect().ok());
}

TEST_F(RedisLinkTest, WarnsOfAServerThatMayEvict) {
  StartServer({"--maxmemory-policy", "allkeys-lru"});
  if (server_ == nullptr) return;

  testing::internal::CaptureStderr();
  ASSERT_TRUE(Connect().ok());

  EXPECT_NE(testing::internal::GetCapturedStderr().find("redis_may_evict"), std::string::npos);
}

// ---- Losses

TEST_F(RedisLinkTest, ARestartedServerIsAnotherRunWithoutAMark) {
  StartServer();
  if (server_ == nullptr) return;
  const auto before = Connect();
  OpenRoom();
  EXPECT_EQ(GetGeneration()->number, 1u);

  server_->Restart();
  ASSERT_TRUE(RunUntilLost());
  const auto after = Connect();

  ASSERT_TRUE(after.ok());
  EXPECT_NE(*after, *before);
  EXPECT_EQ(GetGeneration()->number, 0u);
}

TEST_F(RedisLinkTest, AServerThatCannotServeCountsAsLost) {
  StartServer();
  if (server_ == nullptr) return;
  ASSERT_TRUE(Connect().ok());
  OpenRoom();

  server_->Command({"REPLICAOF", "127.0.0.1", "1"});  // READONLY from now on
  const auto read_only = CommitAndWait("a");
  EXPECT_EQ(read_only.status().code(), StatusCode::kUnavailable);
  ASSERT_TRUE(RunUntilLost(1));

  server_->Command({"REPLICAOF", "NO", "ONE"});
  ASSERT_TRUE(Connect().ok());
  EXPECT_TRUE(CommitAndWait("b").ok());
}

TEST_F(RedisLinkTest, LoadsScriptsAgainThatTheServerForgot) {
  StartServer();
  if (server_ == nullptr) return;
  ASSERT_TRUE(Connect().ok());
  OpenRoom();

  server_->Command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(CommitAndWait("a").status().code(), StatusCode::kUnavailable);
  ASSERT_TRUE(RunUntilLost());

  ASSERT_TRUE(Connect().ok());
  EXPECT_TRUE(CommitAndWait("a").ok());
}

TEST_F(RedisLinkTest, ConnectGivesUpTheLinkBefore) {
  StartServer();
  if (server_ == nullptr) return;
  ASSERT_TRUE(Connect().ok());
  OpenRoom();
  int answers = 0;
  bool inside = true;
  Commit("a", 5s, [&](auto result) {
    EXPECT_FALSE(inside);
    EXPECT_EQ(result.status().code(), StatusCode::kUnavailable);
    ++answers;
  });
  std::optional<Status> second;
  directory_->Connect(In(5s), [](auto result) { EXPECT_FALSE(result.ok()); });
  directory_->Connect(In(5s), [&](auto result) { second = result.status(); });
  inside = false;

  ASSERT_TRUE(Run([&] { return second.has_value(); }));

  EXPECT_TRUE(second->ok()) << second->ToString();
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(listener_.losses, 0);
  EXPECT_TRUE(directory_->connected());
}

TEST_F(RedisLinkTest, ConnectInsideAnAnswerIsFine) {
  StartServer();
  if (server_ == nullptr) return;
  ASSERT_TRUE(Connect().ok());
  OpenRoom();
  std::optional<Status> again;
  Commit("a", 5s,
         [&](auto) { directory_->Connect(In(5s), [&](auto result) { again = result.status(); }); });

  ASSERT_TRUE(Run([&] { return again.has_value(); }));

  EXPECT_TRUE(again->ok());
  EXPECT_TRUE(CommitAndWait("b").ok());
}

TEST_F(RedisLinkTest, RefusesCallsAboveItsBound) {
  StartServer();
  if (server_ == nullptr) return;
  Use(server_->Url(), 40);
  ASSERT_TRUE(Connect().ok());
  OpenRoom();
  std::vector<StatusCode> codes;
  for (int i = 0; i < 50; ++i) {
    Commit("c" + std::to_string(i), 5s, [&](auto r) { codes.push_back(r.status().code()); });
  }
  EXPECT_TRUE(codes.empty());

  ASSERT_TRUE(Run([&] { return codes.size() == 50; }));

  EXPECT_EQ(std::count(codes.begin(), codes.end(), StatusCode::kOk), 40);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), StatusCode::kResourceExhausted), 10);
}

TEST_F(RedisLinkTest, AnswersWithoutAServer) {
  Use("redis://127.0.0.1:1");
  EXPECT_EQ(CommitAndWait("a").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Connect().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(CommitAndWait("a").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(listener_.losses, 0);

  Use("http://nonsense");
  EXPECT_EQ(Connect().status().code(), StatusCode::kInvalidArgument);
}

TEST_F(RedisLinkTest, ItsEndDropsWhatIsPending) {
  StartServer();
  if (server_ == nullptr) return;
  ASSERT_TRUE(Connect().ok());
  OpenRoom();
  Commit("a", 5s, [](auto) { ADD_FAILURE() << "called after the end"; });

  directory_ = nullptr;

  io_.restart();
  io_.run();
}

}  // namespace
}  // namespace minichat::test
