#include "loadtest/experiments/transports/stock.h"

#include <numeric>

namespace minichat::transports {

Stock::Stock(std::size_t items, std::uint64_t of_each) : left_(items, of_each) {
  totals_.initial = items * of_each;
}

StockAnswer Stock::Handle(const StockQuery& query) {
  const MutexLock lock(mutex_);
  ++totals_.calls;
  if (query.item >= left_.size()) return {};
  std::uint64_t& left = left_[query.item];
  const bool enough = left >= query.count;
  const bool takes = query.op == StockOp::kUpdate || query.op == StockOp::kTake;
  if (takes && enough) {
    left -= query.count;
    totals_.taken += query.count;
  }
  return {query.op == StockOp::kGet || enough, left};
}

StockTotals Stock::Totals() const {
  const MutexLock lock(mutex_);
  StockTotals totals = totals_;
  totals.left = std::accumulate(left_.begin(), left_.end(), std::uint64_t{0});
  return totals;
}

}  // namespace minichat::transports
