#include <algorithm>
#include <chrono>
#include <future>

#include <gtest/gtest.h>

#include "tests/support/relay_nodes.h"

namespace minichat::relay {
namespace {

using std::chrono::milliseconds;

// A call in the middle of the time in which both of gRPC's threads would be asleep.
Duration CallAfterQuiet(TestSender& sender, const core::NodeEntry& to) {
  std::promise<void> quiet;
  sender.core.Run(
      [&] { sender.core.scheduler.RunAfter(milliseconds(1'050), [&] { quiet.set_value(); }); });
  quiet.get_future().wait();
  const TimePoint start = sender.core.scheduler.Now();
  EXPECT_EQ(sender.Deliver(to, 1), All(1, core::RelayResult::kQueued));
  return sender.core.scheduler.Now() - start;
}

// Without the pulse each of them takes about 50 ms; with it a millisecond, and one of five comes
// through undisturbed on any machine.
TEST(CallbackPulseTest, CallInAQuietClusterDoesNotWaitForThreadsToAwake) {
  TestServer n2("n2");
  TestSender sender;
  sender.SetPeers({n2.entry});
  EXPECT_EQ(sender.Deliver(n2.entry, 1), All(1, core::RelayResult::kQueued));

  Duration shortest = CallAfterQuiet(sender, n2.entry);
  for (int i = 0; i < 4; ++i) shortest = std::min(shortest, CallAfterQuiet(sender, n2.entry));

  EXPECT_LT(shortest, milliseconds(25));
}

// Its calls never get as far as a server.
TEST(CallbackPulseTest, IsNoTrafficOfTheRelay) {
  TestServer n2("n2");
  TestSender sender;
  sender.SetPeers({n2.entry});

  CallAfterQuiet(sender, n2.entry);

  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"handled\"}"), 1);
  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"wrong_secret\"}"), 0);
  EXPECT_EQ(n2.Metric("minichat_relay_inbound_total{outcome=\"malformed\"}"), 0);
}

}  // namespace
}  // namespace minichat::relay
