#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "loadtest/experiments/transports/stock_service.h"

namespace minichat::transports {

// The stock service's listening side, on a free port of 127.0.0.1.
//
// With workers, each of them takes one call, holds it until it is answered, and takes the next;
// what comes meanwhile waits. Without, a call that waits for the store holds no thread.
//
// Lifetime:  the service outlives it. Its end is the end of all connections.
// Errors:    made only when it can listen; else an exception.
class StockServer {
 public:
  virtual ~StockServer() = default;
  virtual std::uint16_t port() const = 0;
  // Accepted so far; 0 where the transport doesn't tell.
  virtual std::uint64_t connections() const = 0;
};

// workers 0: asynchronous.
std::unique_ptr<StockServer> MakeHttpStockServer(StockService& service, std::size_t workers);
std::unique_ptr<StockServer> MakeGrpcStockServer(StockService& service, std::size_t workers);

}  // namespace minichat::transports
