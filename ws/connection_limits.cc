#include "ws/connection_limits.h"

#include <algorithm>

namespace minichat::ws {

PeerKey PeerKeyOf(const boost::asio::ip::address& address) {
  if (address.is_v4()) return {address.to_v4().to_uint(), address.is_loopback()};
  const boost::asio::ip::address_v6 v6 = address.to_v6();
  const auto bytes = v6.to_bytes();
  if (v6.is_v4_mapped()) {
    const boost::asio::ip::address_v4 v4({bytes[12], bytes[13], bytes[14], bytes[15]});
    return {v4.to_uint(), v4.is_loopback()};
  }
  PeerKey key{0, v6.is_loopback()};
  for (std::size_t i = 0; i < 8; ++i) key.bits = key.bits << 8 | bytes[i];
  return key;
}

ConnectionLimits::ConnectionLimits(const ServerOptions& options)
    : loopback_too_(options.limit_loopback),
      node_handshakes_per_s_(options.handshakes_per_s),
      addresses_({options.address_connections, options.address_handshakes_per_s}),
      node_(options.handshakes_per_s, Clock::now()) {}

bool ConnectionLimits::TryEnter(const PeerKey& peer, Clock::time_point now) {
  if (Exempt(peer)) return true;
  const MutexLock lock(mutex_);
  return addresses_.TryHold(peer.bits, now);
}

void ConnectionLimits::Leave(const PeerKey& peer, Clock::time_point now) {
  if (Exempt(peer)) return;
  const MutexLock lock(mutex_);
  addresses_.Release(peer.bits, now);
}

// The address first: what it is refused is not taken from the others.
std::optional<ConnectionLimits::Wait> ConnectionLimits::TryHandshake(const PeerKey& peer,
                                                                     Clock::time_point now) {
  const MutexLock lock(mutex_);
  if (!Exempt(peer)) {
    if (const auto wait = addresses_.TryAct(peer.bits, now)) return Wait{*wait, false};
  }
  if (node_handshakes_per_s_ == 0 || node_.TryTake(now)) return std::nullopt;
  return Wait{node_.Wait(), true};
}

}  // namespace minichat::ws
