#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/base/mutex.h"

namespace minichat::transports {

enum class StockOp {
  kGet,     // how many are left
  kCheck,   // are there enough?
  kUpdate,  // takes them, if there are enough
  kTake,    // the three in one
};

struct StockQuery {
  StockOp op = StockOp::kGet;
  std::uint32_t item = 0;
  std::uint64_t count = 1;
};

struct StockAnswer {
  bool ok = false;         // false: no such item, or not enough of it
  std::uint64_t left = 0;  // afterwards

  bool operator==(const StockAnswer&) const = default;
};

// The exact account of all queries.
struct StockTotals {
  std::uint64_t calls = 0;
  std::uint64_t taken = 0;    // items, by update and take
  std::uint64_t left = 0;     // of all items together
  std::uint64_t initial = 0;  // the same, at the start
};

// How many there are of each item. What two callers ask at once is done one after the other, so
// that the last item is taken once.
//
// Threading: thread-safe.
class Stock {
 public:
  Stock(std::size_t items, std::uint64_t of_each);

  StockAnswer Handle(const StockQuery& query);
  StockTotals Totals() const;

 private:
  mutable Mutex mutex_;
  std::vector<std::uint64_t> left_ MINICHAT_GUARDED_BY(mutex_);
  StockTotals totals_ MINICHAT_GUARDED_BY(mutex_);
};

}  // namespace minichat::transports
