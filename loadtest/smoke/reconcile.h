#pragma once

#include <map>
#include <string>
#include <vector>

#include "loadtest/inspect/kafka_inspector.h"
#include "loadtest/inspect/postgres_inspector.h"
#include "loadtest/smoke/load_run.h"

namespace minichat::loadtest {

// What members received, counted by id against what was acknowledged.
struct Received {
  std::size_t expected = 0;
  std::size_t got = 0;
  std::size_t lost = 0;
  std::size_t twice = 0;
  std::size_t out_of_order = 0;
  std::size_t strange = 0;  // never acknowledged
};
Received CountReceived(const LoadPlan& plan, LoadRun& run);

// The rows of each room of the plan, ascending by seq.
using RowsByRoom = std::map<std::string, std::vector<StoredRow>>;

// Each compares one of the copies with the acknowledgements, by id, and says what differs, in
// sentences. The log may not hold an id twice in fair weather, rows never.
std::vector<std::string> CompareLog(const LoadPlan& plan, const LoadRun& run,
                                    const std::vector<LogEntry>& entries);
std::vector<std::string> CompareRows(const LoadPlan& plan, const LoadRun& run,
                                     const RowsByRoom& rows);
// Every member must have the rows of its room, in their order and with their numbers.
std::vector<std::string> CompareViews(const LoadPlan& plan, LoadRun& run, const RowsByRoom& rows);

}  // namespace minichat::loadtest
