#include "storage/kafka/kafka_source.h"

#include <array>
#include <chrono>
#include <csignal>
#include <map>

#include <librdkafka/rdkafka.h>

#include "minichat/v1/event.pb.h"
#include "storage/kafka/kafka_test_kit.h"

namespace minichat::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Reader : core::LogConsumer {
  void OnBatch(core::LogBatch batch, Callback<Status> done) override {
    for (core::ConsumedRecord& record : batch.records) records.push_back(std::move(record));
    if (hold) {
      held.push_back(std::move(done));
    } else {
      done({});
    }
  }

  bool hold = false;
  std::vector<core::ConsumedRecord> records;
  std::vector<Callback<Status>> held;
};

// Puts any bytes on partition 0 of a topic, as an operator by hand would.
class RawProducer {
 public:
  RawProducer(const std::string& brokers, std::string topic) : topic_(std::move(topic)) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), nullptr, 0);
    client_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  }
  ~RawProducer() { rd_kafka_destroy(client_); }
  RawProducer(const RawProducer&) = delete;
  RawProducer& operator=(const RawProducer&) = delete;

  void Put(const std::string* value) {
    std::array<rd_kafka_vu_t, 4> fields{};
    fields[0].vtype = RD_KAFKA_VTYPE_TOPIC;
    fields[0].u.cstr = topic_.c_str();
    fields[1].vtype = RD_KAFKA_VTYPE_PARTITION;
    fields[1].u.i32 = 0;
    fields[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
    fields[2].u.i = RD_KAFKA_MSG_F_COPY;
    fields[3].vtype = RD_KAFKA_VTYPE_VALUE;
    if (value != nullptr) fields[3].u.mem = {const_cast<char*>(value->data()), value->size()};
    ASSERT_EQ(rd_kafka_produceva(client_, fields.data(), fields.size()), nullptr);
  }
  void Flush() { ASSERT_EQ(rd_kafka_flush(client_, 10'000), RD_KAFKA_RESP_ERR_NO_ERROR); }

 private:
  const std::string topic_;
  rd_kafka_t* client_;
};

class KafkaSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_KAFKA();
    harness_ = std::make_unique<KafkaHarness>(*test::ScratchKafka::Shared());
    ASSERT_TRUE(RunUntil([&] { return harness_->log().available(); }));
  }

  bool RunUntil(const std::function<bool()>& condition) { return harness_->RunUntil(condition); }

  void Append(const std::string& room, int count) {
    int stored = 0;
    for (int i = 0; i < count; ++i) {
      const std::string body = std::to_string(i);
      harness_->log().Append(
          {core::MakeMessage(core::RoomId(room), core::UserId("ann"), core::ClientMessageId(body),
                             core::BodyKind::kText, body, 1),
           1},
          [&](const Status& status) { stored += status.ok(); });
    }
    ASSERT_TRUE(RunUntil([&] { return stored == count; }));
  }

  double Lag() {
    const std::string text = harness_->metrics.Serialize();
    const std::string name = "\nminichat_persist_lag_records ";
    const auto at = text.find(name);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size()));
  }

  static v1::Message GoodMessage() {
    v1::Message message;
    message.set_id(std::string(16, 'i'));
    message.set_room("room");
    message.set_sender("ann");
    message.set_cid("c");
    message.set_kind(v1::BODY_KIND_TEXT);
    message.set_body("good");
    return message;
  }

  std::unique_ptr<KafkaHarness> harness_;
};

TEST_F(KafkaSourceTest, PoisonComesOutAsUnreadableAndTheRestGoesOn) {
  std::map<std::string, std::string> poison;
  const std::string good = GoodMessage().SerializeAsString();
  poison["empty"] = "";
  poison["random bytes"] = std::string("\xff\x00\xfe\x81 random", 11);
  poison["half a record"] = good.substr(0, good.size() / 2);
  v1::Message bad = GoodMessage();
  bad.set_kind(static_cast<v1::BodyKind>(9));
  poison["another version"] = bad.SerializeAsString();
  bad = GoodMessage();
  bad.set_body(std::string("a\0b", 3));
  poison["NUL"] = bad.SerializeAsString();
  bad = GoodMessage();
  bad.set_body("\xff");
  poison["not UTF-8"] = bad.SerializeAsString();
  bad = GoodMessage();
  bad.set_id("short");
  poison["no id"] = bad.SerializeAsString();
  bad = GoodMessage();
  bad.set_room("not an id\n");
  poison["bad room"] = bad.SerializeAsString();
  RawProducer producer(test::ScratchKafka::Shared()->brokers(), harness_->spec().name);
  producer.Put(&good);
  producer.Put(nullptr);
  for (const auto& [kind, bytes] : poison) producer.Put(&bytes);
  producer.Put(&good);
  producer.Flush();

  Reader reader;
  const auto source = harness_->NewSource();
  source->Start(reader);
  const std::size_t count = poison.size() + 3;
  ASSERT_TRUE(RunUntil([&] { return reader.records.size() == count; }));

  EXPECT_EQ(reader.records.front().message->body, "good");
  EXPECT_EQ(reader.records.back().message->body, "good");
  std::size_t i = 2;
  for (const auto& [kind, bytes] : poison) {
    const core::ConsumedRecord& record = reader.records[i];
    EXPECT_EQ(record.message, nullptr) << kind;
    EXPECT_NE(record.error, "") << kind;
    EXPECT_EQ(record.raw, bytes) << kind;
    EXPECT_EQ(record.offset, static_cast<std::int64_t>(i)) << kind;
    ++i;
  }
  EXPECT_EQ(reader.records[1].message, nullptr) << "null value";
  EXPECT_TRUE(RunUntil([&] { return Lag() == 0; }));
  source->Stop();
}

TEST_F(KafkaSourceTest, LagCountsWhatIsNotStored) {
  Append("room", 10);
  Reader reader;
  reader.hold = true;
  const auto source = harness_->NewSource();
  source->Start(reader);
  ASSERT_TRUE(RunUntil([&] { return !reader.held.empty(); }));
  EXPECT_TRUE(RunUntil([&] { return Lag() == 10; }));

  reader.hold = false;
  for (const auto& done : std::exchange(reader.held, {})) done({});

  EXPECT_TRUE(RunUntil([&] { return Lag() == 0; }));
  source->Stop();
}

TEST_F(KafkaSourceTest, PausesAPartitionWhoseBufferIsFullAndLosesNothing) {
  KafkaSourceOptions options = harness_->SourceOptions();
  options.batch_records = 7;
  options.buffer_records = 20;
  KafkaSource source(options, harness_->scheduler(), harness_->metrics);
  Append("room", 500);
  Reader reader;
  reader.hold = true;
  source.Start(reader);
  ASSERT_TRUE(RunUntil([&] { return !reader.held.empty(); }));
  // More is read, up to the bound, while the first batch is out.
  ASSERT_TRUE(RunUntil([&] { return Lag() == 500; })) << Lag();

  reader.hold = false;
  for (const auto& done : std::exchange(reader.held, {})) done({});

  ASSERT_TRUE(RunUntil([&] { return reader.records.size() >= 500; }));
  source.Stop();
  ASSERT_EQ(reader.records.size(), 500u);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(reader.records[i].message->body, std::to_string(i));
}

TEST_F(KafkaSourceTest, NextBatchFollowsTheAnswerAtOnce) {
  constexpr int kBatches = 200;
  KafkaSourceOptions options = harness_->SourceOptions();
  options.batch_records = 1;
  KafkaSource source(options, harness_->scheduler(), harness_->metrics);
  Append("room", kBatches);
  Reader reader;
  source.Start(reader);
  ASSERT_TRUE(RunUntil([&] { return !reader.records.empty(); }));

  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(RunUntil([&] { return reader.records.size() == kBatches; }));

  // An answer that waited for the end of a poll would cost up to 100 ms each.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(5));
  source.Stop();
}

TEST_F(KafkaSourceTest, AnswerForAPartitionThatWasTakenAwayMovesNothing) {
  Append("room", 1);
  Reader first;
  first.hold = true;
  const auto first_source = harness_->NewSource();
  first_source->Start(first);
  ASSERT_TRUE(RunUntil([&] { return first.records.size() == 1; }));

  // A second member: all partitions change hands, and the record comes again to its new owner.
  Reader second;
  second.hold = true;
  const auto second_source = harness_->NewSource();
  second_source->Start(second);
  ASSERT_TRUE(RunUntil([&] { return first.records.size() + second.records.size() == 2; }));
  first.held.front()(Status());
  first_source->Stop();
  second_source->Stop();

  Reader third;
  const auto third_source = harness_->NewSource();
  third_source->Start(third);
  EXPECT_TRUE(RunUntil([&] { return third.records.size() == 1; }));
  third_source->Stop();
}

TEST_F(KafkaSourceTest, MemberThatLeavesHandsItsPartitionsOver) {
  Reader first;
  Reader second;
  const auto first_source = harness_->NewSource();
  const auto second_source = harness_->NewSource();
  first_source->Start(first);
  second_source->Start(second);
  const auto total = [&] { return first.records.size() + second.records.size(); };
  for (int i = 0; i < 20; ++i) Append("room-" + std::to_string(i), 1);
  ASSERT_TRUE(RunUntil([&] { return total() >= 20; }));

  first_source->Stop();
  for (int i = 20; i < 40; ++i) Append("room-" + std::to_string(i), 1);

  EXPECT_TRUE(RunUntil([&] { return total() >= 40; }));
  second_source->Stop();
}

TEST_F(KafkaSourceTest, StopIsBoundedWhenTheBrokerHangs) {
  Append("room", 1);
  Reader reader;
  KafkaSourceOptions options = harness_->SourceOptions();
  options.stop_limit = milliseconds(500);
  KafkaSource source(options, harness_->scheduler(), harness_->metrics);
  source.Start(reader);
  ASSERT_TRUE(RunUntil([&] { return reader.records.size() == 1; }));
  test::ScratchKafka::Shared()->Signal(SIGSTOP);

  const auto begin = std::chrono::steady_clock::now();
  source.Stop();
  const auto took = std::chrono::steady_clock::now() - begin;

  test::ScratchKafka::Shared()->Signal(SIGCONT);
  EXPECT_LT(took, seconds(3));
}

TEST(KafkaAdminTest, MakesTheTopicOnceAndComparesIt) {
  SKIP_WITHOUT_KAFKA();
  test::ScratchKafka& broker = *test::ScratchKafka::Shared();
  KafkaAdmin admin(broker.brokers());
  TopicSpec spec{.name = broker.NewTopicName()};

  EXPECT_EQ(admin.CheckTopic(spec).code(), StatusCode::kNotFound);
  EXPECT_EQ(admin.CreateTopic(spec), Status());
  EXPECT_EQ(admin.CreateTopic(spec), Status());
  EXPECT_EQ(admin.CheckTopic(spec), Status());

  spec.partitions = 6;
  const Status other = admin.CheckTopic(spec);
  EXPECT_EQ(other.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(other.message().find("has 12 partitions, expected 6"), std::string::npos);
}

TEST(KafkaAdminTest, SaysThatKafkaIsAway) {
  KafkaAdmin admin("127.0.0.1:1", milliseconds(300));

  EXPECT_EQ(admin.CheckTopic({}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(admin.CreateTopic({}).code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace minichat::kafka
