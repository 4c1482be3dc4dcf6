// What the relay does when the other side hangs, is overloaded, dies or comes back.

#include <algorithm>
#include <filesystem>

#include <boost/asio/ip/tcp.hpp>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "minichat/v1/relay.grpc.pb.h"
#include "relay/cluster_secret.h"
#include "tests/support/relay_nodes.h"

namespace minichat::relay {
namespace {

using core::RelayResult;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kBreaker[] = "minichat_breaker_state{peer=\"n2\"}";
constexpr char kInflight[] = "minichat_relay_inflight{peer=\"n2\"}";

class TroubleInEachModeTest : public ::testing::TestWithParam<RelayMode> {
 protected:
  static GrpcRelayOptions Options() { return PatientOptions(GetParam()); }
};

std::string NameOfMode(const ::testing::TestParamInfo<RelayMode>& info) {
  return std::string(ToString(info.param));
}

INSTANTIATE_TEST_SUITE_P(Relay, TroubleInEachModeTest, ::testing::ValuesIn(kRelayModes),
                         NameOfMode);

// What takes seconds: one of the unary modes stands for both.
class SlowTroubleTest : public TroubleInEachModeTest {};

INSTANTIATE_TEST_SUITE_P(Relay, SlowTroubleTest,
                         ::testing::Values(RelayMode::kSingle, RelayMode::kStream), NameOfMode);

std::size_t ThreadCount() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_P(TroubleInEachModeTest, HalfOpenBreakerLetsThreeProbesThroughOfATorrent) {
  TestServer n2("n2");
  GrpcRelayOptions options = Options();
  options.longest_call = milliseconds(100);
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  n2.SetFault({.stall = true});
  const Traffic traffic(sender, n2.entry, milliseconds(1));
  ASSERT_TRUE(sender.core.WaitFor([&] { return sender.Metric(kBreaker) == 2; }));
  // What had been started before it opened ends first.
  ASSERT_TRUE(sender.core.WaitFor([&] { return traffic.counts->waiting <= 1; }));
  std::size_t before = 0;
  n2.core.Run([&] { before = n2.arrived; });
  const TimePoint start = sender.core.scheduler.Now();

  // Rounds that begin and end between two looks are not counted.
  int rounds = 0;
  bool probing = false;
  double most_in_flight = 0;
  ASSERT_TRUE(sender.core.WaitFor([&] {
    const bool now_probing = sender.Metric(kBreaker) == 1;
    if (now_probing && !probing) ++rounds;
    probing = now_probing;
    most_in_flight = std::max(most_in_flight, sender.Metric(kInflight));
    return rounds == 3 && !probing;
  }));

  EXPECT_EQ(most_in_flight, 3);
  // A round takes 100 ms for the probes and at least as long for the wait before it.
  const auto most_rounds = (sender.core.scheduler.Now() - start) / milliseconds(200) + 1;
  n2.core.Run([&] { EXPECT_LE(n2.arrived - before, 3 * static_cast<std::size_t>(most_rounds)); });

  n2.SetFault({});
  EXPECT_TRUE(sender.core.WaitFor([&] { return sender.Metric(kBreaker) == 0; }));
}

TEST_P(SlowTroubleTest, PeerThatReturnsIsReachedWithinFiveSeconds) {
  auto n2 = std::make_unique<TestServer>("n2");
  const core::NodeEntry entry = n2->entry;
  TestSender sender(Options());
  sender.SetPeers({entry});
  const Traffic traffic(sender, entry, milliseconds(2));
  ASSERT_TRUE(sender.core.WaitFor([&] { return traffic.counts->queued > 0; }));

  n2.reset();
  // Long enough for every backoff to reach its longest.
  ASSERT_TRUE(sender.core.WaitFor([&] { return traffic.counts->failed > 2000; }, seconds(30)));
  EXPECT_NE(sender.Metric(kBreaker), 0);
  std::size_t before = 0;
  sender.core.Run([&] { before = traffic.counts->queued; });
  RelayServerOptions options;
  options.listen = entry.relay_address;
  n2 = std::make_unique<TestServer>("n2", options);
  ASSERT_TRUE(n2->status.ok()) << n2->status.message();

  EXPECT_TRUE(sender.core.WaitFor([&] { return traffic.counts->queued > before; }, seconds(5)));
}

TEST_P(TroubleInEachModeTest, NewIncarnationIsReachedAtOnceWhateverTheOldOnesBreakerSays) {
  auto old = std::make_unique<TestServer>("n2");
  TestSender sender(Options());
  sender.SetPeers({old->entry});
  const core::NodeEntry old_entry = old->entry;
  old.reset();
  while (sender.Metric(kBreaker) != 2) sender.Deliver(old_entry, 1);
  TestServer next("n2");
  core::NodeEntry entry = next.entry;

  sender.SetPeers({entry});

  EXPECT_EQ(sender.Metric(kBreaker), 0);
  EXPECT_EQ(sender.Deliver(entry, 2), All(2, RelayResult::kQueued));
}

TEST_P(SlowTroubleTest, TwoThousandRelaysToStalledHandlersNeedNoThreadsAndExcessIsRefusedAtOnce) {
  RelayServerOptions server_options;
  server_options.max_calls = 200;
  server_options.longest_call = seconds(8);  // then the stalled ones end
  TestServer n2("n2", server_options);
  GrpcRelayOptions options = Options();
  options.max_calls_per_peer = 2000;
  options.breaker.failures_to_open = 3000;  // the bounds are looked at here
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  ASSERT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kQueued));
  n2.SetFault({.stall = true});
  const std::size_t threads_before = ThreadCount();

  auto results = sender.StartMany(n2.entry, 2000, seconds(60));
  const std::string refused = "minichat_relay_calls_total{code=\"RESOURCE_EXHAUSTED\",mode=\"" +
                              std::string(ToString(GetParam())) + "\",peer=\"n2\"}";
  // Refused while the others are still stalled; how soon is the machine's matter.
  EXPECT_TRUE(sender.core.WaitFor([&] { return sender.Metric(refused) == 1800; }, seconds(7)));

  EXPECT_EQ(sender.Metric(kInflight), 200);
  EXPECT_EQ(n2.Metric("minichat_queue_depth{queue=\"relay_inbound\"}"), 200);
  EXPECT_EQ(n2.Metric("minichat_queue_overflows_total{queue=\"relay_inbound\"}"), 1800);
  EXPECT_LE(ThreadCount(), threads_before + 16);
  for (auto& each : results) EXPECT_EQ(each.get(), All(1, RelayResult::kFailed));

  n2.SetFault({});
  const Traffic traffic(sender, n2.entry, milliseconds(10));
  EXPECT_TRUE(sender.core.WaitFor([&] { return traffic.counts->queued > 0; }, seconds(5)));
}

TEST_P(TroubleInEachModeTest, BytesInHandAreBoundedToo) {
  RelayServerOptions server_options;
  server_options.max_bytes = 100'000;
  TestServer n2("n2", server_options);
  TestSender sender(Options());
  sender.SetPeers({n2.entry});
  n2.SetFault({.delay = milliseconds(50)});

  auto first = sender.Start(n2.entry, Sessions(1), seconds(60), MakeEvent(60'000));
  ASSERT_TRUE(n2.core.WaitFor([&] { return n2.arrived == 1; }));
  auto second = sender.Start(n2.entry, Sessions(1), seconds(60), MakeEvent(60'000));

  EXPECT_EQ(second.get(), All(1, RelayResult::kFailed));
  EXPECT_EQ(first.get(), All(1, RelayResult::kQueued));
}

TEST_P(TroubleInEachModeTest, ShutdownWithAStalledHandlerEndsInTimeAndTellsTheCaller) {
  RelayServerOptions server_options;
  server_options.longest_call = seconds(600);
  TestServer n2("n2", server_options);
  GrpcRelayOptions options = Options();
  options.longest_call = seconds(600);
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  n2.SetFault({.stall = true});
  auto stalled = sender.Start(n2.entry, Sessions(1), seconds(600));
  ASSERT_TRUE(n2.core.WaitFor([&] { return n2.arrived == 1; }));
  const TimePoint start = n2.core.scheduler.Now();

  n2.Shutdown(seconds(1));

  EXPECT_LT(n2.core.scheduler.Now() - start, seconds(3));
  EXPECT_EQ(stalled.get(), All(1, RelayResult::kFailed));
  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"abandoned\"}"), 1);
}

TEST_P(TroubleInEachModeTest, ShutdownDoesNotWaitForAPeerThatIsConnected) {
  TestServer n2("n2");
  TestSender sender(Options());
  sender.SetPeers({n2.entry});
  ASSERT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kQueued));
  const TimePoint start = n2.core.scheduler.Now();

  n2.Shutdown(seconds(8));

  EXPECT_LT(n2.core.scheduler.Now() - start, seconds(4));
}

TEST(RelayTroubleTest, ShutdownDoesNotWaitForAConnectionThatSaysNothing) {
  TestServer n2("n2");
  boost::asio::io_context io;
  boost::asio::ip::tcp::socket silent(io);
  silent.connect({boost::asio::ip::address_v4::loopback(),
                  static_cast<boost::asio::ip::port_type>(n2.server->port())});
  const TimePoint start = n2.core.scheduler.Now();

  n2.Shutdown(seconds(1));

  EXPECT_LT(n2.core.scheduler.Now() - start, seconds(3));
}

TEST_P(TroubleInEachModeTest, WhatArrivedBeforeShutdownIsHandled) {
  TestServer n2("n2");
  TestSender sender(Options());
  sender.SetPeers({n2.entry});
  ASSERT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kQueued));
  std::future<Results> results;

  n2.core.Run([&] {  // while this runs the core thread takes nothing in
    results = sender.Start(n2.entry, Sessions(1));
    const std::string depth = "minichat_queue_depth{queue=\"relay_inbound\"}";
    ASSERT_TRUE(sender.core.WaitFor([&] { return n2.Metric(depth) == 1; }));
    // The gauge rises just before the call is in the mailbox; either way it gets an answer.
    n2.server->Shutdown(seconds(2));
  });

  EXPECT_EQ(results.get().size(), 1u);
}

TEST(RelayServerTest, SaysWhyItCannotStart) {
  TestServer n2("n2");
  RelayServerOptions taken;
  taken.listen = n2.entry.relay_address;
  EXPECT_EQ(TestServer("n3", taken).status.code(), StatusCode::kUnavailable);

  RelayServerOptions no_secret;
  RelayServer server(no_secret, n2.core.scheduler, n2.receiver, n2.metrics);
  EXPECT_EQ(server.Start().code(), StatusCode::kInvalidArgument);
}

TEST(RelayServerTest, RefusesWhatIsNoRelayAndWhatHasNoSecret) {
  TestServer n2("n2");
  const auto stub = v1::Relay::NewStub(
      grpc::CreateChannel(n2.entry.relay_address, grpc::InsecureChannelCredentials()));
  const auto call = [&](const char* secret) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + seconds(5));
    if (secret != nullptr) context.AddMetadata(kClusterSecretKey, secret);
    v1::DeliverReply reply;
    return stub->Deliver(&context, v1::DeliverRequest(), &reply).error_code();
  };

  EXPECT_EQ(call(kTestSecret), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(call("test-secreT"), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(call(nullptr), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"malformed\"}"), 1);
  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"wrong_secret\"}"), 2);
}

}  // namespace
}  // namespace minichat::relay
