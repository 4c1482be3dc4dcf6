#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minichat::ws {

// What a session may hold back in unsent frames before it counts as a slow reader.
struct OutboundLimits {
  std::size_t bytes = 1 << 20;
  std::size_t frames = 1'000;
  std::chrono::milliseconds age{10'000};  // of the oldest
  // Of all sessions together. From there on the node takes no sends and no hellos, and a session is
  // a slow reader as soon as fair_bytes wait for it.
  std::size_t node_bytes = 256 << 20;
  std::size_t fair_bytes = 16 << 10;
};

// A listener, and the rules for the connections that come through it.
struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  // Above these, a connection is told so and closed.
  std::size_t max_connections = 20'000;
  // The system gives out the lowest free descriptor: one at or above this number says that few are
  // left, and those are for links to back ends and for operators. 0: no bound.
  int max_descriptor = 0;
  std::size_t address_connections = 0;       // of one address; 0: any number
  std::size_t address_handshakes_per_s = 0;  // of one address, twice as many at once; 0: any
  std::size_t handshakes_per_s = 0;          // of all together, twice as many at once; 0: any
  bool limit_loopback = false;               // those of one address hold for loopback addresses too
  // Of browsers' pages. Empty: only pages of this very host and port; "*": any.
  std::vector<std::string> allowed_origins;

  std::chrono::milliseconds handshake{10'000};  // an HTTP request's arrival; a session's hello
  std::chrono::milliseconds http_idle{60'000};  // between requests on one connection
  std::chrono::milliseconds ping{25'000};       // silent for twice this: closed
  std::chrono::milliseconds close{5'000};       // a close that takes longer is cut
  std::chrono::milliseconds slow_close{1'000};  // the same for a slow reader
  std::chrono::milliseconds accept_pause{100};  // after a failed accept
  std::chrono::milliseconds tick{500};          // how often the times above are looked at
  std::size_t http_header_bytes = 16 * 1024;
  std::size_t http_target_bytes = 4 * 1024;
  std::size_t http_body_bytes = 64 * 1024;
  int send_buffer_bytes = 0;  // SO_SNDBUF; 0: the system's
  OutboundLimits outbound;
  bool coalesce = true;  // false: each frame is written by itself, for measurements
};

// What clients may do, and what they are told.
struct SessionOptions {
  bool insecure_auth = false;           // hello names its user, and is believed: no tokens
  std::size_t max_rooms = 200;          // per session
  std::size_t messages_per_s = 1'000;   // frames per session; twice as many at once
  std::size_t user_sessions = 0;        // of one user on this node; 0: any number
  std::size_t user_messages_per_s = 0;  // of all of them together, twice as many at once; 0: any
  std::chrono::milliseconds ping{25'000};
  std::chrono::milliseconds expiry_tick{1'000};  // how often expired tokens are looked for
  std::chrono::milliseconds bye_after{100};      // reconnect hint: wait this,
  std::chrono::milliseconds bye_jitter{2'000};   // plus a random part of this
  std::chrono::milliseconds drain{3'000};        // for answers under way before a close for restart
};

}  // namespace minichat::ws
