#pragma once

#include <cstddef>
#include <vector>

#include "loadtest/experiments/slow_downstream/chain_run.h"

namespace minichat::lab {

// The samples of one condition, all rounds together. Times in milliseconds.
struct ChainFigures {
  std::vector<double> first_orders;  // the faster half of each round
  std::vector<double> last_orders;   // the slower half
  std::size_t orders_ok = 0;
  std::size_t orders_deadline = 0;
  std::size_t orders = 0;
  std::vector<double> pings;
  std::vector<double> waiting_pings;  // sent while B's workers were still busy with the orders
  std::vector<double> later_pings;    // sent after the orders' budget was over
  std::size_t pings_failed = 0;
  std::vector<double> c_work;
  std::size_t c_orders = 0;
  std::size_t c_cancelled = 0;   // ended early, nobody waiting
  std::size_t a_ok_unheard = 0;  // ended OK at A, with the caller gone
  std::vector<double> a_work;
  // Budgets on arrival, where there was one; and how many orders had none.
  std::vector<double> a_budgets;
  std::vector<double> b_budgets;
  std::vector<double> c_budgets;
  std::size_t a_unlimited = 0;
  std::size_t b_unlimited = 0;
  std::size_t c_unlimited = 0;
  std::size_t b_orders = 0;
};

ChainFigures FiguresOf(const ChainPlan& plan, Condition condition,
                       const std::vector<ChainResult>& results);
std::vector<double> IdlePingsOf(const std::vector<ChainResult>& results);

}  // namespace minichat::lab
