#include "relay/grpc_relay.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/relay_nodes.h"

namespace minichat::relay {
namespace {

using core::RelayResult;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Calls(const char* mode, const char* code) {
  return std::string("minichat_relay_calls_total{code=\"") + code + "\",mode=\"" + mode +
         "\",peer=\"n2\"}";
}

class EachModeTest : public ::testing::TestWithParam<RelayMode> {
 protected:
  std::string CallsEnded(const char* code) const {
    return Calls(std::string(ToString(GetParam())).c_str(), code);
  }
};

std::string NameOfMode(const ::testing::TestParamInfo<RelayMode>& info) {
  return std::string(ToString(info.param));
}

INSTANTIATE_TEST_SUITE_P(GrpcRelay, EachModeTest, ::testing::ValuesIn(kRelayModes), NameOfMode);

// Those that gather recipients.
class ChunksTest : public EachModeTest {};

INSTANTIATE_TEST_SUITE_P(GrpcRelay, ChunksTest,
                         ::testing::Values(RelayMode::kBulk, RelayMode::kStream), NameOfMode);

TEST(GrpcRelayTest, BulkMakesOneCallPerNode) {
  TestServer n2("n2"), n3("n3");
  TestSender sender;
  sender.SetPeers({n2.entry, n3.entry});

  const Results to_n2 = sender.Deliver(n2.entry, 50);
  const Results to_n3 = sender.Deliver(n3.entry, 30);

  EXPECT_EQ(to_n2, All(50, RelayResult::kQueued));
  EXPECT_EQ(to_n3, All(30, RelayResult::kQueued));
  ASSERT_EQ(n2.Calls().size(), 1u);
  ASSERT_EQ(n3.Calls().size(), 1u);
  EXPECT_EQ(n2.Calls()[0].recipients, Sessions(50));
  EXPECT_EQ(*n2.Calls()[0].event->encoded, *MakeEvent()->encoded);
  EXPECT_EQ(sender.Metric(Calls("bulk", "OK")), 1);
  EXPECT_EQ(sender.Metric("minichat_relay_recipients_total{mode=\"bulk\",result=\"queued\"}"), 80);
  EXPECT_EQ(sender.Metric("minichat_relay_inflight{peer=\"n2\"}"), 0);
  EXPECT_EQ(sender.Metric("minichat_stage_seconds_count{stage=\"relay\"}"), 2);
}

TEST(GrpcRelayTest, SingleMakesOneCallPerRecipient) {
  TestServer n2("n2");
  TestSender sender(PatientOptions(RelayMode::kSingle));
  sender.SetPeers({n2.entry});

  EXPECT_EQ(sender.Deliver(n2.entry, 50), All(50, RelayResult::kQueued));

  std::set<core::SessionId> served;
  for (const auto& call : n2.Calls()) {
    EXPECT_EQ(call.recipients.size(), 1u);
    served.insert(call.recipients[0]);
  }
  EXPECT_EQ(served.size(), 50u);
  EXPECT_EQ(n2.Calls().size(), 50u);
  EXPECT_EQ(sender.Metric(Calls("single", "OK")), 50);
}

TEST_P(ChunksTest, AreCutAt512Recipients) {
  TestServer n2("n2");
  TestSender sender(PatientOptions(GetParam()));
  sender.SetPeers({n2.entry});

  EXPECT_EQ(sender.Deliver(n2.entry, 1100), All(1100, RelayResult::kQueued));

  std::multiset<std::size_t> sizes;
  for (const auto& call : n2.Calls()) sizes.insert(call.recipients.size());
  EXPECT_EQ(sizes, (std::multiset<std::size_t>{76, 512, 512}));
}

TEST_P(ChunksTest, LargestMessageToLargestListIsCutByBytesAndAllGetItOnce) {
  TestServer n2("n2");
  TestSender sender(PatientOptions(GetParam()));
  sender.SetPeers({n2.entry});
  const auto recipients = Sessions(2000, std::string(2000, 's'));  // 4 MB of names alone

  const Results results =
      sender.Start(n2.entry, recipients, seconds(60), MakeEvent(256 << 10)).get();

  EXPECT_EQ(results, All(2000, RelayResult::kQueued));
  std::vector<core::SessionId> served;
  for (const auto& call : n2.Calls()) {
    std::size_t bytes = call.event->encoded->size();
    for (const auto& recipient : call.recipients) bytes += recipient.value().size();
    EXPECT_LE(bytes, 1u << 20);
    served.insert(served.end(), call.recipients.begin(), call.recipients.end());
  }
  EXPECT_THAT(served, ::testing::UnorderedElementsAreArray(recipients));
}

TEST_P(EachModeTest, ResultsArePerRecipientAndInOrder) {
  TestServer n2("n2");
  n2.receiver.special_results = {{"s1", RelayResult::kNotHere}, {"s2", RelayResult::kQueueFull}};
  TestSender sender(PatientOptions(GetParam()));
  sender.SetPeers({n2.entry});

  EXPECT_EQ(sender.Deliver(n2.entry, 4), (Results{RelayResult::kQueued, RelayResult::kNotHere,
                                                  RelayResult::kQueueFull, RelayResult::kQueued}));
}

TEST_P(EachModeTest, OtherIncarnationAnswersNotHere) {
  TestServer n2("n2");
  TestSender sender(PatientOptions(GetParam()));
  core::NodeEntry stale = n2.entry;
  stale.incarnation = core::Incarnation("n2-0");
  sender.SetPeers({stale});

  EXPECT_EQ(sender.Deliver(stale, 3), All(3, RelayResult::kNotHere));
}

TEST_P(EachModeTest, NodeThatIsNotLiveFailsAtOnce) {
  TestServer n2("n2");
  TestSender sender(PatientOptions(GetParam()));

  EXPECT_EQ(sender.Deliver(n2.entry, 3), All(3, RelayResult::kFailed));

  sender.SetPeers({n2.entry});
  core::NodeEntry next = n2.entry;
  next.incarnation = core::Incarnation("n2-2");
  EXPECT_EQ(sender.Deliver(next, 3), All(3, RelayResult::kFailed));
  EXPECT_TRUE(n2.Calls().empty());
}

TEST_P(EachModeTest, WrongSecretIsRefusedAndIsNoTroubleOfThePeer) {
  TestServer n2("n2");
  GrpcRelayOptions options = PatientOptions(GetParam());
  options.cluster_secret = "another";
  TestSender sender(options);
  sender.SetPeers({n2.entry});

  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kFailed));
  }

  EXPECT_TRUE(n2.Calls().empty());
  // A stream that was refused isn't tried again at once.
  const double tries = n2.Metric("minichat_relay_inbound_total{outcome=\"wrong_secret\"}");
  EXPECT_GE(tries, 1);
  if (GetParam() != RelayMode::kStream) {
    EXPECT_EQ(tries, 10);
  }
  EXPECT_EQ(sender.Metric(CallsEnded("UNAUTHENTICATED")), tries);
  EXPECT_EQ(sender.Metric("minichat_breaker_state{peer=\"n2\"}"), 0);
}

TEST_P(EachModeTest, StalledPeerCostsNoMoreThanTheBudget) {
  TestServer n2("n2");
  GrpcRelayOptions options = PatientOptions(GetParam());
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  ASSERT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kQueued));  // connected
  n2.SetFault({.stall = true});
  const TimePoint start = sender.core.scheduler.Now();

  const Results results = sender.Deliver(n2.entry, 3, milliseconds(250));

  const Duration took = sender.core.scheduler.Now() - start;
  EXPECT_EQ(results, All(3, RelayResult::kFailed));
  EXPECT_GE(took, milliseconds(150));  // 250 less the margin, and gRPC's rounding
  EXPECT_LT(took, seconds(2));
  const double calls = GetParam() == RelayMode::kSingle ? 3 : 1;
  EXPECT_EQ(sender.Metric(CallsEnded("DEADLINE_EXCEEDED")), calls);
  // The other side isn't working on it any more either.
  EXPECT_TRUE(n2.core.WaitFor([&] {
    return n2.Metric("minichat_relay_inbound_total{outcome=\"late\"}") == calls &&
           n2.Metric("minichat_queue_depth{queue=\"relay_inbound\"}") == 0;
  }));
  EXPECT_EQ(n2.Calls().size(), 1u);
}

TEST_P(EachModeTest, LongBudgetIsCutToTheLongestCall) {
  TestServer n2("n2");
  n2.SetFault({.stall = true});
  GrpcRelayOptions options = PatientOptions(GetParam());
  options.longest_call = milliseconds(100);
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  const TimePoint start = sender.core.scheduler.Now();

  EXPECT_EQ(sender.Deliver(n2.entry, 1, seconds(60)), All(1, RelayResult::kFailed));

  EXPECT_LT(sender.core.scheduler.Now() - start, seconds(2));
}

TEST_P(EachModeTest, WithNothingLeftNoCallIsStarted) {
  TestServer n2("n2");
  TestSender sender(PatientOptions(GetParam()));
  sender.SetPeers({n2.entry});

  EXPECT_EQ(sender.Deliver(n2.entry, 2, milliseconds(50)), All(2, RelayResult::kFailed));

  EXPECT_EQ(sender.Metric(CallsEnded("OK")) + sender.Metric(CallsEnded("DEADLINE_EXCEEDED")), 0);
  const std::string mode(ToString(GetParam()));
  EXPECT_EQ(
      sender.Metric("minichat_relay_recipients_total{mode=\"" + mode + "\",result=\"failed\"}"), 2);
}

TEST_P(EachModeTest, CallsInFlightAreBoundedAndTheRestFailsAtOnce) {
  TestServer n2("n2");
  GrpcRelayOptions options = PatientOptions(GetParam());
  options.max_calls_per_peer = 10;
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  n2.SetFault({.delay = milliseconds(100)});

  std::vector<std::future<Results>> messages;
  messages.reserve(25);
  for (int i = 0; i < 25; ++i) messages.push_back(sender.Start(n2.entry, Sessions(1)));
  EXPECT_EQ(sender.Metric("minichat_relay_inflight{peer=\"n2\"}"), 10);
  EXPECT_EQ(sender.Metric("minichat_queue_overflows_total{queue=\"relay\"}"), 15);
  EXPECT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kFailed));

  for (std::size_t i = 0; i < messages.size(); ++i) {
    const RelayResult expected = i < 10 ? RelayResult::kQueued : RelayResult::kFailed;
    EXPECT_EQ(messages[i].get(), All(1, expected));
  }
  EXPECT_EQ(sender.Metric("minichat_relay_inflight{peer=\"n2\"}"), 0);
}

TEST(GrpcRelayTest, MessageFinishesInTheModeItStartedIn) {
  TestServer n2("n2");
  TestSender sender;
  sender.SetPeers({n2.entry});
  n2.SetFault({.delay = milliseconds(50)});

  auto bulk = sender.Start(n2.entry, Sessions(20, "a"));
  sender.core.Run([&] { sender.relay->OnClusterMode({1, "single"}); });
  auto single = sender.Start(n2.entry, Sessions(20, "b"));
  sender.core.Run([&] { sender.relay->OnClusterMode({2, "stream"}); });
  auto stream = sender.Start(n2.entry, Sessions(20, "c"));
  sender.core.Run([&] { sender.relay->OnClusterMode({3, ""}); });

  EXPECT_EQ(bulk.get(), All(20, RelayResult::kQueued));
  EXPECT_EQ(single.get(), All(20, RelayResult::kQueued));
  EXPECT_EQ(stream.get(), All(20, RelayResult::kQueued));
  EXPECT_EQ(n2.Calls().size(), 22u);
  EXPECT_EQ(sender.Metric(Calls("bulk", "OK")), 1);
  EXPECT_EQ(sender.Metric(Calls("single", "OK")), 20);
  EXPECT_EQ(sender.Metric(Calls("stream", "OK")), 1);
}

TEST(GrpcRelayTest, ClusterSettingWinsOverTheNodesOwn) {
  TestSender sender;
  const auto bulk_in_force = [&] {
    return sender.Metric("minichat_relay_mode{mode=\"bulk\"}") == 1 &&
           sender.Metric("minichat_relay_mode{mode=\"single\"}") == 0;
  };
  EXPECT_TRUE(bulk_in_force());

  sender.core.Run([&] {
    sender.relay->OnClusterMode({1, "single"});
    EXPECT_EQ(sender.relay->mode(), RelayMode::kSingle);
    sender.relay->SetConfiguredMode(RelayMode::kBulk);
    EXPECT_EQ(sender.relay->mode(), RelayMode::kSingle);
    EXPECT_FALSE(bulk_in_force());
    sender.relay->OnClusterMode({2, ""});
    EXPECT_EQ(sender.relay->mode(), RelayMode::kBulk);
    sender.relay->OnClusterMode({3, "of-a-later-version"});
    EXPECT_EQ(sender.relay->mode(), RelayMode::kBulk);
    sender.relay->SetConfiguredMode(RelayMode::kSingle);
    EXPECT_EQ(sender.relay->mode(), RelayMode::kSingle);
  });

  EXPECT_FALSE(bulk_in_force());
}

TEST_P(EachModeTest, PeerThatVanishesDoesNotBreakItsCalls) {
  TestServer n2("n2");
  TestSender sender(PatientOptions(GetParam()));
  sender.SetPeers({n2.entry});
  n2.SetFault({.delay = milliseconds(50)});

  auto under_way = sender.Start(n2.entry, Sessions(5));
  sender.SetPeers({});

  EXPECT_EQ(under_way.get(), All(5, RelayResult::kQueued));
  EXPECT_EQ(sender.Deliver(n2.entry, 1), All(1, RelayResult::kFailed));
}

TEST_P(EachModeTest, StopCancelsWhatIsInFlightAndCallsNobodyBack) {
  TestServer n2("n2");
  n2.SetFault({.stall = true});
  GrpcRelayOptions options = PatientOptions(GetParam());
  TestSender sender(options);
  sender.SetPeers({n2.entry});
  bool called_back = false;
  sender.core.Run([&] {
    sender.relay->Deliver(n2.entry.name, n2.entry.incarnation, MakeEvent(), Sessions(5),
                          Deadline::After(sender.core.scheduler, seconds(60)),
                          [&](Results) { called_back = true; });
  });
  ASSERT_TRUE(n2.core.WaitFor([&] { return n2.arrived >= 1; }));

  const TimePoint start = sender.core.scheduler.Now();
  sender.core.Run([&] { sender.relay->Stop(seconds(5)); });

  EXPECT_LT(sender.core.scheduler.Now() - start, seconds(4));
  EXPECT_EQ(sender.Metric("minichat_relay_inflight{peer=\"n2\"}"), 0);
  sender.core.Run([&] { EXPECT_FALSE(called_back); });
}

}  // namespace
}  // namespace minichat::relay
