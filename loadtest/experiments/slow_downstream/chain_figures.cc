#include "loadtest/experiments/slow_downstream/chain_figures.h"

#include <algorithm>

namespace minichat::lab {
namespace {

constexpr int kOk = 0;
constexpr int kDeadlineExceeded = 4;

void AddOrders(const std::vector<CallResult>& orders, ChainFigures* figures) {
  std::vector<double> times;
  for (const CallResult& order : orders) {
    times.push_back(order.took_ms);
    if (order.code == kOk) ++figures->orders_ok;
    if (order.code == kDeadlineExceeded) ++figures->orders_deadline;
  }
  std::sort(times.begin(), times.end());
  const auto half = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  figures->first_orders.insert(figures->first_orders.end(), times.begin(), half);
  figures->last_orders.insert(figures->last_orders.end(), half, times.end());
  figures->orders += orders.size();
}

void AddPings(const ChainPlan& plan, const std::vector<CallResult>& pings, ChainFigures* figures) {
  for (const CallResult& ping : pings) {
    if (ping.code != kOk) ++figures->pings_failed;
    figures->pings.push_back(ping.took_ms);
    if (ping.at_ms < plan.WorkersFreeAt()) figures->waiting_pings.push_back(ping.took_ms);
    if (ping.at_ms >= InMillis(plan.budget)) figures->later_pings.push_back(ping.took_ms);
  }
}

void AddBudgets(const std::vector<HopRecord>& records, std::vector<double>* budgets,
                std::size_t* unlimited) {
  for (const HopRecord& record : records) {
    if (record.budget_ms) {
      budgets->push_back(*record.budget_ms);
    } else {
      ++*unlimited;
    }
  }
}

void AddHops(const ChainResult& result, ChainFigures* figures) {
  AddBudgets(result.a, &figures->a_budgets, &figures->a_unlimited);
  AddBudgets(result.b, &figures->b_budgets, &figures->b_unlimited);
  AddBudgets(result.c, &figures->c_budgets, &figures->c_unlimited);
  figures->b_orders += result.b.size();
  figures->c_orders += result.c.size();
  for (const HopRecord& record : result.a) {
    figures->a_work.push_back(record.took_ms);
    if (record.code == kOk && record.caller_gone) ++figures->a_ok_unheard;
  }
  for (const HopRecord& record : result.c) {
    figures->c_work.push_back(record.took_ms);
    if (record.code != kOk && record.caller_gone) ++figures->c_cancelled;
  }
}

}  // namespace

ChainFigures FiguresOf(const ChainPlan& plan, Condition condition,
                       const std::vector<ChainResult>& results) {
  ChainFigures figures;
  for (const ChainResult& result : results) {
    if (result.condition != condition) continue;
    AddOrders(result.orders, &figures);
    AddPings(plan, result.pings, &figures);
    AddHops(result, &figures);
  }
  return figures;
}

std::vector<double> IdlePingsOf(const std::vector<ChainResult>& results) {
  std::vector<double> pings;
  for (const ChainResult& result : results) {
    for (const CallResult& ping : result.idle_pings) pings.push_back(ping.took_ms);
  }
  return pings;
}

}  // namespace minichat::lab
