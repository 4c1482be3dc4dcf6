#pragma once

#include <cstdint>
#include <memory>

#include "loadtest/experiments/transports/relay_way.h"
#include "server/base/task.h"

namespace minichat::transports {

// The sending node: hands messages to all recipients on the other one.
//
// Lifetime:  must not end while messages are under way.
// Threading: Send() from any thread; callbacks run on its one thread, never inside Send().
class RelaySending {
 public:
  virtual ~RelaySending() = default;
  // `done` gets how many recipients were answered "queued".
  virtual void Send(std::uint64_t seq, Callback<std::size_t> done) = 0;

  // Requests on the wire, or items of a stream, that ended well. When nothing is under way.
  virtual std::uint64_t Calls() = 0;
  // Writes to a stream: what was pending went in one.
  virtual std::uint64_t StreamWrites() = 0;
};

// The product's relay in the way's mode, or HTTP.
std::unique_ptr<RelaySending> MakeRelaySending(const RelayWay& way, std::uint16_t port);

}  // namespace minichat::transports
