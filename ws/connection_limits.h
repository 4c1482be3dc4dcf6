#pragma once

#include <chrono>
#include <optional>

#include "server/base/mutex.h"
#include "ws/key_limits.h"
#include "ws/options.h"
#include "ws/peer_key.h"

namespace minichat::ws {

// Which connections come in: bounds for each address and for the node, of connections and of
// WebSocket handshakes a second. Loopback addresses are only bounded with the node, unless the
// options say otherwise: a proxy on this machine brings everybody's connections from there.
//
// Threading: thread-safe.
// Limits:    as KeyLimits.
class ConnectionLimits {
 public:
  using Clock = TokenBucket::Clock;
  struct Wait {
    std::chrono::milliseconds time{0};
    bool of_node = false;  // all addresses together are too fast, not this one
  };

  explicit ConnectionLimits(const ServerOptions& options);

  // True: the address has one connection more, until Leave().
  bool TryEnter(const PeerKey& peer, Clock::time_point now);
  void Leave(const PeerKey& peer, Clock::time_point now);
  // None: the handshake may go on.
  std::optional<Wait> TryHandshake(const PeerKey& peer, Clock::time_point now);

 private:
  bool Exempt(const PeerKey& peer) const { return peer.loopback && !loopback_too_; }

  const bool loopback_too_;
  const std::size_t node_handshakes_per_s_;
  Mutex mutex_;
  KeyLimits<std::uint64_t> addresses_ MINICHAT_GUARDED_BY(mutex_);
  TokenBucket node_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace minichat::ws
