#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <google/protobuf/repeated_field.h>
#include <grpcpp/support/status.h>

#include "relay/relay_mode.h"
#include "server/base/breaker.h"
#include "server/base/scheduler.h"
#include "server/base/task.h"
#include "server/core/ports/relay.h"

namespace minichat::relay {

class PeerLink;

// One event on its way to one node: the results that have come, and who waits for them.
struct Delivery {
  RelayMode mode;  // of its start: a switch changes nothing for what is under way
  std::vector<core::RelayResult> results;
  std::size_t open_parts = 0;
  TimePoint started;
  Callback<std::vector<core::RelayResult>> done;
};

// Recipients of a delivery that travel together: one unary call, or one item of a stream.
struct RelayPart {
  std::shared_ptr<Delivery> delivery;
  std::size_t first = 0;  // its recipients in the delivery
  std::size_t count = 0;

  std::shared_ptr<PeerLink> link;
  Breaker::Ticket ticket;
};

// As they are on the wire: v1::RecipientResult.
using WireResults = google::protobuf::RepeatedField<int>;
// How a part ended; the results count only with code OK.
using PartEnded = std::function<void(RelayPart&, grpc::StatusCode, const WireResults&)>;

}  // namespace minichat::relay
