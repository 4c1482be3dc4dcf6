// What is no message on its way from node to node.
#include <chrono>
#include <memory>

#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "minichat/v1/relay.grpc.pb.h"
#include "relay/channel_settings.h"
#include "relay/cluster_secret.h"
#include "relay/relay_codec.h"
#include "tests/support/relay_nodes.h"

namespace minichat::relay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Notices = std::vector<core::Typing>;

const core::Typing kTyping{core::RoomId("room"), core::UserId("ann")};

std::string Ended(const char* outcome) {
  return std::string("minichat_control_calls_total{outcome=\"") + outcome + "\"}";
}

std::string Inbound(const char* outcome) {
  return std::string("minichat_relay_inbound_total{outcome=\"") + outcome + "\"}";
}

void SendTyping(TestSender& sender, const core::NodeEntry& to, int times = 1) {
  sender.core.Run([&] {
    for (int i = 0; i < times; ++i) sender.relay->SendTyping(to.name, to.incarnation, kTyping);
  });
}

Notices NoticesOf(TestServer& server) {
  Notices notices;
  server.core.Run([&] { notices = server.receiver.typing; });
  return notices;
}

// A call as another node would make it, but for what the test changes.
grpc::Status Call(const TestServer& server, const v1::ControlRequest& request,
                  const std::string& secret) {
  const auto stub = v1::Relay::NewStub(MakePeerChannel(server.entry.relay_address));
  grpc::ClientContext context;
  if (!secret.empty()) context.AddMetadata(kClusterSecretKey, secret);
  context.set_deadline(std::chrono::system_clock::now() + seconds(5));
  v1::ControlReply reply;
  return stub->Control(&context, request, &reply);
}

TEST(ControlTest, TypingReachesTheOtherNode) {
  TestServer n2("n2");
  TestSender sender;
  sender.SetPeers({n2.entry});

  SendTyping(sender, n2.entry);

  ASSERT_TRUE(sender.core.WaitFor([&] { return sender.Metric(Ended("ok")) == 1; }));
  EXPECT_EQ(NoticesOf(n2), Notices{kTyping});
  EXPECT_EQ(n2.Metric(Inbound("control")), 1);
  EXPECT_EQ(n2.Metric(Inbound("handled")), 0);  // which counts events
}

TEST(ControlTest, AWrongOrMissingSecretIsRefused) {
  TestServer n2("n2");
  const v1::ControlRequest request = EncodeTyping(n2.entry.incarnation, kTyping);

  EXPECT_EQ(Call(n2, request, "wrong").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Call(n2, request, "").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(NoticesOf(n2), Notices{});
  EXPECT_EQ(n2.Metric(Inbound("wrong_secret")), 2);
  EXPECT_TRUE(Call(n2, request, kTestSecret).ok());
  EXPECT_EQ(NoticesOf(n2), Notices{kTyping});
}

TEST(ControlTest, WhatIsForAnotherIncarnationIsIgnored) {
  TestServer n2("n2");

  EXPECT_TRUE(Call(n2, EncodeTyping(core::Incarnation("n2-0"), kTyping), kTestSecret).ok());

  EXPECT_EQ(NoticesOf(n2), Notices{});
  EXPECT_EQ(n2.Metric(Inbound("control")), 1);
}

TEST(ControlTest, WhatANodeWouldNotSendIsRefused) {
  TestServer n2("n2");
  v1::ControlRequest unknown_kind;
  unknown_kind.set_target_incarnation("n2-1");
  v1::ControlRequest no_user = EncodeTyping(n2.entry.incarnation, kTyping);
  no_user.mutable_typing()->clear_user();
  v1::ControlRequest bad_room = EncodeTyping(n2.entry.incarnation, kTyping);
  bad_room.mutable_typing()->set_room("a \"room\"");

  for (const v1::ControlRequest& request : {unknown_kind, no_user, bad_room}) {
    EXPECT_EQ(Call(n2, request, kTestSecret).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_EQ(NoticesOf(n2), Notices{});
  EXPECT_EQ(n2.Metric(Inbound("malformed")), 3);
}

TEST(ControlTest, GoesOnlyToPeersThatAreKnown) {
  TestServer n2("n2");
  TestSender sender;
  core::NodeEntry other = n2.entry;
  other.incarnation = core::Incarnation("n2-0");

  SendTyping(sender, n2.entry);
  sender.SetPeers({n2.entry});
  SendTyping(sender, other);
  SendTyping(sender, n2.entry);

  ASSERT_TRUE(sender.core.WaitFor([&] { return sender.Metric(Ended("ok")) == 1; }));
  EXPECT_EQ(NoticesOf(n2).size(), 1u);
}

TEST(ControlTest, IsDroppedAboveItsBoundAndNeverInTheWayOfEvents) {
  TestServer n2("n2");
  GrpcRelayOptions options = PatientOptions();
  options.max_controls_per_peer = 5;
  TestSender sender(options);
  sender.SetPeers({n2.entry});

  SendTyping(sender, n2.entry, 25);  // in one turn: none can have ended meanwhile

  EXPECT_EQ(sender.Metric(Ended("dropped")), 20);
  EXPECT_EQ(sender.Deliver(n2.entry, 1), All(1, core::RelayResult::kQueued));
  ASSERT_TRUE(sender.core.WaitFor([&] { return sender.Metric(Ended("ok")) == 5; }));
  EXPECT_EQ(sender.Metric("minichat_queue_overflows_total{queue=\"relay\"}"), 0);
}

TEST(ControlTest, IsDroppedWhileTheBreakerIsOpen) {
  TestServer n2("n2");
  GrpcRelayOptions options;
  options.longest_call = milliseconds(50);
  options.breaker.first_wait = options.breaker.longest_wait = seconds(60);
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  n2.SetFault({.stall = true});
  const Traffic traffic(sender, n2.entry, milliseconds(5));
  ASSERT_TRUE(sender.core.WaitFor(
      [&] { return sender.Metric("minichat_breaker_state{peer=\"n2\"}") == 2; }));

  SendTyping(sender, n2.entry, 3);

  EXPECT_EQ(sender.Metric(Ended("dropped")), 3);
  EXPECT_EQ(NoticesOf(n2), Notices{});
}

TEST(ControlTest, AFailureSaysNothingToTheBreaker) {
  TestServer n2("n2");
  TestSender sender;
  sender.SetPeers({n2.entry});
  ASSERT_EQ(sender.Deliver(n2.entry, 1), All(1, core::RelayResult::kQueued));
  n2.Shutdown();

  SendTyping(sender, n2.entry, 20);

  ASSERT_TRUE(sender.core.WaitFor([&] { return sender.Metric(Ended("failed")) == 20; }));
  EXPECT_EQ(sender.Metric("minichat_breaker_state{peer=\"n2\"}"), 0);
}

TEST(ControlTest, StopEndsWhatIsInFlight) {
  TestSender sender;
  TestServer n2("n2");
  sender.SetPeers({n2.entry});
  SendTyping(sender, n2.entry, 10);

  const TimePoint start = sender.core.scheduler.Now();
  sender.core.Run([&] { sender.relay->Stop(seconds(5)); });

  EXPECT_LT(sender.core.scheduler.Now() - start, seconds(4));
  SendTyping(sender, n2.entry);  // does nothing any more
}

}  // namespace
}  // namespace minichat::relay
