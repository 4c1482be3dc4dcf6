#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "loadtest/experiments/transports/stock.h"
#include "server/base/status.h"
#include "server/base/task.h"

namespace minichat::transports {

// Asks a stock service in another process and holds the calling thread until the answer is there.
//
// Threading: thread-safe.
// Errors:    a call that could not be made or was not understood; Unavailable when it broke.
class BlockingStock {
 public:
  virtual ~BlockingStock() = default;
  virtual Result<StockAnswer> Call(const StockQuery& query) = 0;
};

// The same without holding a thread.
//
// Lifetime:  must not end while calls are under way.
// Threading: thread-safe; callbacks run on threads of the transport, never inside Start().
class AsyncStock {
 public:
  virtual ~AsyncStock() = default;
  virtual void Start(const StockQuery& query, Callback<Result<StockAnswer>> done) = 0;
};

// At most `connections` to the service, kept alive; 0: a new connection for each call.
std::unique_ptr<BlockingStock> MakeHttpStock(std::uint16_t port, std::size_t connections);
std::unique_ptr<AsyncStock> MakeAsyncHttpStock(std::uint16_t port, std::size_t connections);

// One channel with the settings that nodes use for each other.
std::unique_ptr<BlockingStock> MakeGrpcStock(std::uint16_t port);
std::unique_ptr<AsyncStock> MakeAsyncGrpcStock(std::uint16_t port);

}  // namespace minichat::transports
