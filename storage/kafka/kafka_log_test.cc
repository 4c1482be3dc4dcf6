#include "storage/kafka/kafka_log.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>

#include "storage/kafka/kafka_test_kit.h"

namespace minichat::kafka {
namespace {

using std::chrono::seconds;

// The broker of this program is stopped, frozen and started again by its tests.
class KafkaLogTest : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_KAFKA();
    broker_ = test::ScratchKafka::Shared();
    harness_ = std::make_unique<KafkaHarness>(*broker_);
    KafkaLogOptions options = harness_->LogOptions();
    options.message_timeout = seconds(2);
    options.max_waiting_records = 50;
    log_ = std::make_unique<KafkaLog>(options, harness_->scheduler(), harness_->metrics);
    ASSERT_EQ(log_->Start(), Status());
    ASSERT_TRUE(RunUntil([&] { return log_->available(); }));
  }
  void TearDown() override {
    if (log_) log_->Stop(seconds(1));
  }

  bool RunUntil(const std::function<bool()>& condition) { return harness_->RunUntil(condition); }

  static core::LogRecord RecordOf(const std::string& body) {
    return {core::MakeMessage(core::RoomId("room"), core::UserId("ann"),
                              core::ClientMessageId("cid-" + body), core::BodyKind::kText, body, 1),
            1};
  }

  // Appends `count` records at once; their answers, once all are there.
  std::vector<Status> AppendAll(int count) {
    std::vector<Status> answers;
    for (int i = 0; i < count; ++i) {
      log_->Append(RecordOf(std::to_string(i)), [&](Status s) { answers.push_back(std::move(s)); });
    }
    EXPECT_TRUE(answers.empty()) << "a callback ran inside the call";
    EXPECT_TRUE(RunUntil([&] { return answers.size() == static_cast<std::size_t>(count); }));
    return answers;
  }

  // All that the topic holds, until each body of `wanted` was seen.
  std::multiset<std::string> ReadUntilSeen(const std::set<std::string>& wanted) {
    struct Reader : core::LogConsumer {
      void OnBatch(core::LogBatch batch, Callback<Status> done) override {
        for (const auto& record : batch.records) bodies.insert(record.message->body);
        done({});
      }
      std::multiset<std::string> bodies;
    } reader;
    const auto source = harness_->NewSource();
    source->Start(reader);
    EXPECT_TRUE(RunUntil([&] {
      return std::all_of(wanted.begin(), wanted.end(),
                         [&](const std::string& body) { return reader.bodies.contains(body); });
    }));
    source->Stop();
    return reader.bodies;
  }

  test::ScratchKafka* broker_ = nullptr;
  std::unique_ptr<KafkaHarness> harness_;
  std::unique_ptr<KafkaLog> log_;
};

TEST_F(KafkaLogTest, BrokerDownMeansNotStoredSoonAndAResendIsStored) {
  ASSERT_EQ(AppendAll(1), std::vector<Status>(1));
  broker_->Stop();
  ASSERT_TRUE(RunUntil([&] { return !log_->available(); })) << "the fault took no effect";

  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Status> answers = AppendAll(20);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
  for (const Status& answer : answers) {
    EXPECT_EQ(answer.code(), StatusCode::kUnavailable) << answer.ToString();
  }

  broker_->Start();
  ASSERT_TRUE(RunUntil([&] { return log_->available(); }));
  EXPECT_EQ(AppendAll(20), std::vector<Status>(20));
  // "Not stored" was true: of each there is one record, and "0" was appended before.
  const auto bodies = ReadUntilSeen({"0", "19"});
  EXPECT_EQ(bodies.size(), 21u);
  EXPECT_EQ(bodies.count("7"), 1u);
}

TEST_F(KafkaLogTest, FrozenBrokerMeansUnknownWithinTheLimit) {
  ASSERT_EQ(AppendAll(1), std::vector<Status>(1));
  broker_->Signal(SIGSTOP);

  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Status> answers = AppendAll(1);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
  EXPECT_EQ(answers[0].code(), StatusCode::kUnknown) << answers[0].ToString();
  EXPECT_FALSE(log_->available());
  broker_->Signal(SIGCONT);
  ASSERT_TRUE(RunUntil([&] { return log_->available(); }));
  EXPECT_EQ(AppendAll(1), std::vector<Status>(1));
}

TEST_F(KafkaLogTest, FrozenBrokerIsNoticedWhileNothingIsAppended) {
  ASSERT_EQ(AppendAll(1), std::vector<Status>(1));
  broker_->Signal(SIGSTOP);

  EXPECT_TRUE(RunUntil([&] { return !log_->available(); }));

  broker_->Signal(SIGCONT);
  EXPECT_TRUE(RunUntil([&] { return log_->available(); }));
  EXPECT_EQ(AppendAll(1), std::vector<Status>(1));
}

TEST_F(KafkaLogTest, FullQueueIsAnsweredAtOnce) {
  broker_->Signal(SIGSTOP);

  const std::vector<Status> answers = AppendAll(60);

  int refused = 0;
  for (const Status& answer : answers) {
    refused += answer.code() == StatusCode::kResourceExhausted;
    EXPECT_FALSE(answer.ok());
  }
  EXPECT_EQ(refused, 10) << "max_waiting_records is 50";
  broker_->Signal(SIGCONT);
  ASSERT_TRUE(RunUntil([&] { return log_->available(); }));
}

TEST_F(KafkaLogTest, FatalErrorMakesANewProducer) {
  ASSERT_EQ(AppendAll(1), std::vector<Status>(1));

  log_->FailFatallyForTest();

  EXPECT_TRUE(RunUntil([&] { return AppendAll(1)[0].ok(); }));
}

TEST_F(KafkaLogTest, StopSendsWhatWaitsAndCallsNobody) {
  int answers = 0;
  for (int i = 0; i < 20; ++i) {
    log_->Append(RecordOf(std::to_string(i)), [&](const Status&) { ++answers; });
  }

  log_->Stop(seconds(5));

  const auto bodies = ReadUntilSeen({"19"});
  EXPECT_EQ(bodies.size(), 20u);
  EXPECT_EQ(answers, 0);
  log_->Stop(seconds(5));
}

}  // namespace
}  // namespace minichat::kafka
