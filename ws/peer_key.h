#pragma once

#include <cstdint>

#include <boost/asio/ip/address.hpp>

namespace minichat::ws {

// Whose connection it is, as far as limits go: an IPv4 address, or the network of 64 bits of an
// IPv6 one, all of which one host commands.
struct PeerKey {
  std::uint64_t bits = 0;
  bool loopback = false;
};

PeerKey PeerKeyOf(const boost::asio::ip::address& address);

}  // namespace minichat::ws
