#include "loadtest/experiments/transports/stock.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

TEST(StockTest, GetCheckAndUpdateTakeOneItem) {
  Stock stock(3, 5);

  EXPECT_EQ(stock.Handle({StockOp::kGet, 2}), (StockAnswer{true, 5}));
  EXPECT_EQ(stock.Handle({StockOp::kCheck, 2}), (StockAnswer{true, 5}));
  EXPECT_EQ(stock.Handle({StockOp::kUpdate, 2}), (StockAnswer{true, 4}));
  EXPECT_EQ(stock.Handle({StockOp::kGet, 1}), (StockAnswer{true, 5}));
}

TEST(StockTest, RefusesWhatIsNotThere) {
  Stock stock(1, 1);

  EXPECT_EQ(stock.Handle({StockOp::kTake, 0, 2}), (StockAnswer{false, 1}));
  EXPECT_EQ(stock.Handle({StockOp::kTake, 0, 1}), (StockAnswer{true, 0}));
  EXPECT_EQ(stock.Handle({StockOp::kCheck, 0, 1}), (StockAnswer{false, 0}));
  EXPECT_EQ(stock.Handle({StockOp::kUpdate, 0, 1}), (StockAnswer{false, 0}));
  EXPECT_EQ(stock.Handle({StockOp::kGet, 1}), (StockAnswer{false, 0}));
  EXPECT_EQ(stock.Totals().taken, 1u);
}

TEST(StockTest, TheAccountIsExactWhenManyTakeAtOnce) {
  constexpr std::uint64_t kTakes = 2'000;
  Stock stock(2, 3'000);
  std::vector<std::jthread> threads;
  for (std::uint32_t item : {0u, 0u, 1u, 1u}) {
    threads.emplace_back([&stock, item] {
      for (std::uint64_t i = 0; i < kTakes; ++i) stock.Handle({StockOp::kTake, item});
    });
  }
  threads.clear();

  const StockTotals totals = stock.Totals();

  EXPECT_EQ(totals.calls, 4 * kTakes);
  EXPECT_EQ(totals.taken, 6'000u);  // of 8,000 asked for
  EXPECT_EQ(totals.left, 0u);
  EXPECT_EQ(totals.initial, 6'000u);
}

}  // namespace
}  // namespace minichat::transports
