#pragma once

#include <cstdint>
#include <memory>

#include "loadtest/experiments/transports/relay_account.h"
#include "loadtest/experiments/transports/relay_way.h"

namespace minichat::transports {

// The receiving node, without its clients: what is relayed to it ends in the account.
//
// Lifetime:  the account outlives it.
// Errors:    made only when it can listen; else an exception.
class RelayReceiving {
 public:
  virtual ~RelayReceiving() = default;
  virtual std::uint16_t port() const = 0;
};

// The product's relay server, or HTTP.
std::unique_ptr<RelayReceiving> MakeRelayReceiving(const RelayWay& way, RelayAccount& account);

}  // namespace minichat::transports
