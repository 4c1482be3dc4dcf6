#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "loadtest/client/endpoint.h"

namespace minichat::test {

// What is done to one `message` event on its way to a client.
enum class Lie {
  kNone,
  kDrop,     // it never comes
  kRepeat,   // it comes twice
  kMisplace  // the next one comes before it
};

// A WebSocket proxy on 127.0.0.1 before a node that lies once, to one client, about one event: what
// accounts for deliveries must find it.
//
// Lifetime:  its end closes all connections.
// Threading: lies() from any thread; the bytes move on a thread of its own.
// Errors:    throws when it can't listen.
class LyingProxy {
 public:
  // The lie is about the `nth` event of all that pass, from 1.
  LyingProxy(const loadtest::Endpoint& target, Lie lie, int nth);
  ~LyingProxy();
  LyingProxy(const LyingProxy&) = delete;

  loadtest::Endpoint address() const { return {"127.0.0.1", port_}; }
  // How many were told: a test asserts that its fault took place.
  int lies() const { return lies_; }

 private:
  class Worker;

  std::uint16_t port_ = 0;
  std::atomic<int> lies_ = 0;
  std::unique_ptr<Worker> worker_;
  std::jthread thread_;
};

}  // namespace minichat::test
