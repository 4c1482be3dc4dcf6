// What only mode `stream` has: coalescing, items without a deadline of gRPC's, and streams that
// break while items are on them.

#include <algorithm>

#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "minichat/v1/relay.grpc.pb.h"
#include "relay/cluster_secret.h"
#include "relay/stream_codec.h"
#include "tests/support/relay_nodes.h"
#include "tests/support/tcp_gate.h"

namespace minichat::relay {
namespace {

using core::RelayResult;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Direction = test::TcpGate::Direction;

constexpr char kOpens[] = "minichat_relay_stream_opens_total{peer=\"n2\"}";
constexpr char kWrites[] = "minichat_relay_stream_writes_total{peer=\"n2\"}";
constexpr char kInflight[] = "minichat_relay_inflight{peer=\"n2\"}";
constexpr char kBreaker[] = "minichat_breaker_state{peer=\"n2\"}";
constexpr char kOverflows[] = "minichat_queue_overflows_total{queue=\"relay\"}";

std::string Ended(const char* code) {
  return std::string("minichat_relay_calls_total{code=\"") + code +
         "\",mode=\"stream\",peer=\"n2\"}";
}

GrpcRelayOptions StreamOptions() {
  return PatientOptions(RelayMode::kStream);
}

// Two of them fit into no write, and so many into no window of HTTP/2's: the writes stay under way
// until the other side reads.
constexpr std::size_t kLarge = 900'000;
constexpr std::size_t kMoreThanTheWindow = 15;

class StreamRelayTest : public ::testing::Test {
 protected:
  // A server behind a gate, as its peers see it.
  struct Gated {
    Gated() : gate({"127.0.0.1", static_cast<std::uint16_t>(n2.server->port())}) {
      n2.entry.relay_address = "127.0.0.1:" + std::to_string(gate.address().port);
    }
    TestServer n2{"n2"};
    test::TcpGate gate;
  };

  static std::vector<std::string> RecipientsOf(TestServer& server) {
    std::vector<std::string> recipients;
    for (const auto& call : server.Calls()) {
      for (const auto& recipient : call.recipients) recipients.push_back(recipient.value());
    }
    return recipients;
  }
};

TEST_F(StreamRelayTest, WhatOneTurnStartsGoesInOneWriteAndInOrder) {
  TestServer n2("n2");
  TestSender sender(StreamOptions());
  sender.SetPeers({n2.entry});

  auto results = sender.StartMany(n2.entry, 100);

  for (auto& each : results) EXPECT_EQ(each.get(), All(1, RelayResult::kQueued));
  EXPECT_EQ(sender.Metric(kWrites), 1);
  EXPECT_EQ(sender.Metric(kOpens), 1);
  EXPECT_EQ(sender.Metric(Ended("OK")), 100);
  std::vector<std::string> in_order;
  for (const auto& session : Sessions(100)) in_order.push_back(session.value());
  EXPECT_EQ(RecipientsOf(n2), in_order);
}

TEST_F(StreamRelayTest, WhatWaitsWhileAWriteIsUnderWayGoesInTheNextOne) {
  Gated to;
  TestSender sender(StreamOptions());
  sender.SetPeers({to.n2.entry});
  ASSERT_EQ(sender.Deliver(to.n2.entry, 1), All(1, RelayResult::kQueued));
  to.gate.Stall(Direction::kToServer);

  std::vector<std::future<Results>> results;
  for (std::size_t i = 0; i < kMoreThanTheWindow; ++i) {
    results.push_back(sender.Start(to.n2.entry, Sessions(1), seconds(60), MakeEvent(kLarge)));
  }
  for (int i = 0; i < 50; ++i) {
    results.push_back(sender.Start(to.n2.entry, Sessions(1), seconds(60)));
  }
  EXPECT_EQ(sender.Metric(kInflight), kMoreThanTheWindow + 50);
  to.gate.Mend();

  for (auto& each : results) EXPECT_EQ(each.get(), All(1, RelayResult::kQueued));
  // The first one, a write for each large one, and at most one more for all small ones.
  EXPECT_LE(sender.Metric(kWrites), 1 + kMoreThanTheWindow + 1);
  EXPECT_EQ(sender.Metric(kOpens), 1);
}

TEST_F(StreamRelayTest, BytesThatWaitAreBounded) {
  Gated to;
  GrpcRelayOptions options = StreamOptions();
  options.max_waiting_bytes_per_peer = 2 * kLarge;
  TestSender sender(options);
  sender.SetPeers({to.n2.entry});
  ASSERT_EQ(sender.Deliver(to.n2.entry, 1), All(1, RelayResult::kQueued));
  to.gate.Stall(Direction::kToServer);

  std::vector<std::future<Results>> results;
  for (std::size_t i = 0; i < kMoreThanTheWindow + 5; ++i) {
    results.push_back(sender.Start(to.n2.entry, Sessions(1), seconds(60), MakeEvent(kLarge)));
  }

  const double refused = sender.Metric(kOverflows);
  EXPECT_GE(refused, 1);
  to.gate.Mend();
  double failed = 0;
  for (auto& each : results) failed += each.get() == All(1, RelayResult::kFailed) ? 1 : 0;
  EXPECT_EQ(failed, refused);
}

TEST_F(StreamRelayTest, ItemThatIsTooLargeForAnyMessageIsRefusedAndDisturbsNothing) {
  TestServer n2("n2");
  TestSender sender(StreamOptions());
  sender.SetPeers({n2.entry});
  auto before = sender.Start(n2.entry, Sessions(1));

  auto too_large = sender.Start(n2.entry, Sessions(1), seconds(60), MakeEvent(5 << 20));
  auto after = sender.Start(n2.entry, Sessions(1));

  EXPECT_EQ(too_large.get(), All(1, RelayResult::kFailed));
  EXPECT_EQ(before.get(), All(1, RelayResult::kQueued));
  EXPECT_EQ(after.get(), All(1, RelayResult::kQueued));
  EXPECT_EQ(sender.Metric(Ended("RESOURCE_EXHAUSTED")), 1);
  EXPECT_EQ(sender.Metric(kOpens), 1);
}

TEST_F(StreamRelayTest, StreamThatBreaksFailsItsItemsAtOnceAndTheNextItemMakesANewOne) {
  Gated to;
  TestSender sender(StreamOptions());
  sender.SetPeers({to.n2.entry});
  to.n2.SetFault({.stall = true});
  std::vector<std::future<Results>> stalled;
  stalled.reserve(3);
  for (int i = 0; i < 3; ++i) {
    stalled.push_back(sender.Start(to.n2.entry, Sessions(1), seconds(60)));
  }
  ASSERT_TRUE(to.n2.core.WaitFor([&] { return to.n2.arrived == 3; }));

  to.gate.CutAll();

  for (auto& each : stalled) EXPECT_EQ(each.get(), All(1, RelayResult::kFailed));
  EXPECT_EQ(sender.Metric(kInflight), 0);
  to.n2.SetFault({});
  const Traffic traffic(sender, to.n2.entry, milliseconds(10));
  EXPECT_TRUE(sender.core.WaitFor([&] { return traffic.counts->queued > 0; }, seconds(5)));
  EXPECT_GE(sender.Metric(kOpens), 2);
}

TEST_F(StreamRelayTest, WhatWasExecutedBeforeItsStreamBrokeIsNotSentAgain) {
  Gated to;
  TestSender sender(StreamOptions());
  sender.SetPeers({to.n2.entry});
  ASSERT_EQ(sender.Deliver(to.n2.entry, 1), All(1, RelayResult::kQueued));
  to.gate.Stall(Direction::kToClient);
  auto unanswered = sender.Start(to.n2.entry, Sessions(1, "once"), seconds(60));
  ASSERT_TRUE(to.n2.core.WaitFor([&] { return to.n2.receiver.calls.size() == 2; }));

  to.gate.CutAll();
  to.gate.Mend();

  EXPECT_EQ(unanswered.get(), All(1, RelayResult::kFailed));
  while (sender.Deliver(to.n2.entry, 1) != All(1, RelayResult::kQueued)) {
  }
  const auto recipients = RecipientsOf(to.n2);
  EXPECT_EQ(std::count(recipients.begin(), recipients.end(), "once0"), 1);
}

TEST_F(StreamRelayTest, PeerThatHangsOpensTheBreakerAndGetsANewStreamWhenItIsBack) {
  Gated to;
  GrpcRelayOptions options = StreamOptions();
  options.longest_call = milliseconds(200);
  TestSender sender(options);
  sender.SetPeers({to.n2.entry});
  const Traffic traffic(sender, to.n2.entry, milliseconds(5));
  ASSERT_TRUE(sender.core.WaitFor([&] { return traffic.counts->queued > 0; }));

  to.gate.Stall(Direction::kToServer);
  ASSERT_TRUE(sender.core.WaitFor([&] { return sender.Metric(kBreaker) == 2; }));
  EXPECT_TRUE(sender.core.WaitFor([&] { return traffic.counts->waiting <= 3; }));
  to.gate.Mend();

  EXPECT_TRUE(sender.core.WaitFor([&] { return sender.Metric(kBreaker) == 0; }));
  EXPECT_GE(sender.Metric(kOpens), 2);
}

TEST_F(StreamRelayTest, ResultThatComesTooLateChangesNothing) {
  TestServer n2("n2");
  TestSender sender(StreamOptions());
  sender.SetPeers({n2.entry});
  TestServer* const server = &n2;
  std::future<Results> late;

  n2.core.Run([&] {  // while this runs n2 takes nothing in
    late = sender.Start(server->entry, Sessions(1, "late"), milliseconds(300));
    EXPECT_EQ(late.get(), All(1, RelayResult::kFailed));
  });

  EXPECT_EQ(sender.Metric(Ended("DEADLINE_EXCEEDED")), 1);
  EXPECT_TRUE(n2.core.WaitFor([&] {
    return n2.Metric("minichat_relay_inbound_total{outcome=\"late\"}") +
               n2.Metric("minichat_relay_inbound_total{outcome=\"handled\"}") ==
           1;
  }));
  EXPECT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kQueued));
  EXPECT_EQ(sender.Metric(Ended("OK")), 1);
  EXPECT_EQ(sender.Metric(kInflight), 0);
}

// A client that isn't a node.
class RawStream {
 public:
  explicit RawStream(const core::NodeEntry& to, const char* secret = kTestSecret)
      : stub_(v1::Relay::NewStub(
            grpc::CreateChannel(to.relay_address, grpc::InsecureChannelCredentials()))) {
    context_.set_deadline(std::chrono::system_clock::now() + seconds(10));
    context_.AddMetadata(kClusterSecretKey, secret);
    stream_ = stub_->DeliverStream(&context_);
  }

  void Write(const std::string& bytes) {
    v1::StreamBatch batch;
    ASSERT_TRUE(batch.ParseFromString(bytes));
    stream_->Write(batch);
  }
  // All results until the stream's end, by item.
  std::map<std::uint64_t, v1::StreamResult> ReadAll() {
    std::map<std::uint64_t, v1::StreamResult> results;
    v1::StreamReply reply;
    while (stream_->Read(&reply)) {
      for (const v1::StreamResult& result : reply.results()) results[result.item()] = result;
    }
    return results;
  }
  void WritesDone() { stream_->WritesDone(); }
  grpc::StatusCode Finish() { return stream_->Finish().error_code(); }

 private:
  std::unique_ptr<v1::Relay::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::StreamBatch, v1::StreamReply>> stream_;
};

std::string GoodRequest() {
  return EncodedEvent(*MakeEvent()).RequestBytes(core::Incarnation("n2-1"), Sessions(2), 0, 2);
}

TEST(InboundStreamTest, AnswersEveryItemBeforeItsEnd) {
  TestServer n2("n2");
  n2.SetFault({.delay = milliseconds(20)});
  RawStream stream(n2.entry);
  std::string batch;
  AppendItem(5, seconds(5), GoodRequest(), &batch);
  AppendItem(6, seconds(5), "", &batch);  // no relay
  stream.Write(batch);
  stream.WritesDone();

  const auto results = stream.ReadAll();

  EXPECT_EQ(stream.Finish(), grpc::StatusCode::OK);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results.at(5).code(), 0u);
  EXPECT_EQ(results.at(5).results_size(), 2);
  EXPECT_EQ(results.at(6).code(), static_cast<unsigned>(grpc::StatusCode::INVALID_ARGUMENT));
  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"malformed\"}"), 1);
  EXPECT_TRUE(n2.core.WaitFor(
      [&] { return n2.Metric("minichat_queue_depth{queue=\"relay_inbound\"}") == 0; }));
}

TEST(InboundStreamTest, BatchThatNoNodeSendsEndsTheStream) {
  TestServer n2("n2");
  RawStream stream(n2.entry);
  stream.Write("");

  EXPECT_TRUE(stream.ReadAll().empty());
  EXPECT_EQ(stream.Finish(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(InboundStreamTest, IsRefusedWithoutTheSecret) {
  TestServer n2("n2");
  RawStream stream(n2.entry, "test-secreT");

  EXPECT_TRUE(stream.ReadAll().empty());
  EXPECT_EQ(stream.Finish(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"wrong_secret\"}"), 1);
}

TEST(InboundStreamTest, ItemWithoutBudgetIsNotHandled) {
  TestServer n2("n2");
  RawStream stream(n2.entry);
  std::string batch;
  AppendItem(1, milliseconds(0), GoodRequest(), &batch);
  stream.Write(batch);
  stream.WritesDone();

  const auto results = stream.ReadAll();

  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results.at(1).code(), static_cast<unsigned>(grpc::StatusCode::DEADLINE_EXCEEDED));
  EXPECT_TRUE(n2.Calls().empty());
}

TEST(InboundStreamTest, ShutdownTellsTheOtherSide) {
  TestServer n2("n2");
  RawStream stream(n2.entry);
  std::string batch;
  AppendItem(1, seconds(5), GoodRequest(), &batch);
  stream.Write(batch);
  ASSERT_TRUE(n2.core.WaitFor([&] { return n2.receiver.calls.size() == 1; }));
  const TimePoint start = n2.core.scheduler.Now();

  n2.Shutdown(seconds(8));

  EXPECT_LT(n2.core.scheduler.Now() - start, seconds(4));
  EXPECT_EQ(stream.ReadAll().size(), 1u);  // what was answered still goes out
  EXPECT_EQ(stream.Finish(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace minichat::relay
