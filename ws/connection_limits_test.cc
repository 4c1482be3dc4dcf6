#include "ws/connection_limits.h"

#include <gtest/gtest.h>

namespace minichat::ws {
namespace {

using std::chrono::seconds;

constexpr ConnectionLimits::Clock::time_point kNow{seconds(1'000'000'000)};

PeerKey Peer(const char* address) {
  return PeerKeyOf(boost::asio::ip::make_address(address));
}

TEST(PeerKeyTest, AnIpv6HostIsItsNetwork) {
  EXPECT_EQ(Peer("2001:db8::1").bits, Peer("2001:db8::ffff:2").bits);
  EXPECT_NE(Peer("2001:db8:0:1::1").bits, Peer("2001:db8::1").bits);
  EXPECT_NE(Peer("192.0.2.1").bits, Peer("192.0.2.2").bits);
  EXPECT_EQ(Peer("::ffff:192.0.2.1").bits, Peer("192.0.2.1").bits);
}

TEST(PeerKeyTest, LoopbackIsKnownInAllItsForms) {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(Peer(address).loopback) << address;
  }
  EXPECT_FALSE(Peer("192.0.2.1").loopback);
}

TEST(ConnectionLimitsTest, OneAddressHasSoManyConnections) {
  ServerOptions options;
  options.address_connections = 1;
  ConnectionLimits limits(options);

  EXPECT_TRUE(limits.TryEnter(Peer("192.0.2.1"), kNow));
  EXPECT_FALSE(limits.TryEnter(Peer("192.0.2.1"), kNow));
  EXPECT_TRUE(limits.TryEnter(Peer("192.0.2.2"), kNow));
  limits.Leave(Peer("192.0.2.1"), kNow);
  EXPECT_TRUE(limits.TryEnter(Peer("192.0.2.1"), kNow));
}

TEST(ConnectionLimitsTest, LoopbackIsExemptUnlessItIsAskedFor) {
  ServerOptions options;
  options.address_connections = 1;
  options.address_handshakes_per_s = 1;
  ConnectionLimits exempt(options);
  options.limit_loopback = true;
  ConnectionLimits limited(options);

  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(exempt.TryEnter(Peer("127.0.0.1"), kNow));
    EXPECT_FALSE(exempt.TryHandshake(Peer("127.0.0.1"), kNow).has_value());
  }
  EXPECT_TRUE(limited.TryEnter(Peer("127.0.0.1"), kNow));
  EXPECT_FALSE(limited.TryEnter(Peer("127.0.0.1"), kNow));
}

TEST(ConnectionLimitsTest, ATooFastAddressTakesNothingFromTheNode) {
  ServerOptions options;
  options.address_handshakes_per_s = 1;
  options.handshakes_per_s = 2;
  ConnectionLimits limits(options);
  const auto now = ConnectionLimits::Clock::now();
  int refused = 0;

  for (int i = 0; i < 100; ++i) {
    const auto wait = limits.TryHandshake(Peer("192.0.2.1"), now);
    if (wait && !wait->of_node) ++refused;
  }

  EXPECT_EQ(refused, 98);
  EXPECT_FALSE(limits.TryHandshake(Peer("192.0.2.2"), now).has_value());
  EXPECT_FALSE(limits.TryHandshake(Peer("192.0.2.3"), now).has_value());
  const auto wait = limits.TryHandshake(Peer("192.0.2.4"), now);
  ASSERT_TRUE(wait.has_value());
  EXPECT_TRUE(wait->of_node);
  EXPECT_GT(wait->time.count(), 0);
}

}  // namespace
}  // namespace minichat::ws
