#include "loadtest/smoke/reconcile.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace minichat::loadtest {
namespace {

std::unordered_set<std::string> AckedIds(const LoadPlan& plan, const LoadRun& run,
                                         std::size_t room) {
  std::unordered_set<std::string> ids;
  for (std::size_t i = room; i < run.messages().size(); i += plan.shape().rooms) {
    if (run.messages()[i].acked) ids.insert(run.messages()[i].id);
  }
  return ids;
}

// Differences of one room: how often each id of `copy` is there, against once each of the acked.
std::vector<std::string> CompareIds(const std::string& where, const std::string& room,
                                    const std::unordered_set<std::string>& acked,
                                    const std::vector<std::string>& copy) {
  std::unordered_map<std::string, std::size_t> counts;
  for (const std::string& id : copy) ++counts[id];
  std::size_t missing = 0, repeated = 0, strange = 0;
  for (const std::string& id : acked) missing += counts.contains(id) ? 0 : 1;
  for (const auto& [id, count] : counts) {
    repeated += count - 1;
    strange += acked.contains(id) ? 0 : 1;
  }
  std::vector<std::string> differences;
  const auto note = [&](std::size_t count, const std::string& what) {
    if (count == 0) return;
    differences.push_back(where + ", room " + room + ": " + std::to_string(count) + " " + what);
  };
  note(missing, "acknowledged messages are missing");
  note(repeated, "messages are there more than once");
  note(strange, "messages were never acknowledged");
  return differences;
}

void Append(std::vector<std::string> more, std::vector<std::string>* all) {
  std::move(more.begin(), more.end(), std::back_inserter(*all));
}

bool SameAsRows(const RoomView& view, const std::vector<StoredRow>& rows) {
  return std::equal(view.deliveries.begin(), view.deliveries.end(), rows.begin(), rows.end(),
                    [](const Delivery& delivery, const StoredRow& row) {
                      return delivery.id == row.id && delivery.seq == row.seq;
                    });
}

}  // namespace

Received CountReceived(const LoadPlan& plan, LoadRun& run) {
  Received received;
  for (std::size_t room = 0; room < plan.shape().rooms; ++room) {
    const auto acked = AckedIds(plan, run, room);
    for (std::size_t member = 0; member < plan.shape().members; ++member) {
      const RoomView& view = run.ViewOf(room, member);
      received.expected += acked.size();
      received.got += view.deliveries.size();
      received.twice += view.twice;
      received.out_of_order += view.out_of_order;
      for (const std::string& id : acked) received.lost += view.ids.contains(id) ? 0 : 1;
      for (const std::string& id : view.ids) received.strange += acked.contains(id) ? 0 : 1;
    }
  }
  return received;
}

std::vector<std::string> CompareLog(const LoadPlan& plan, const LoadRun& run,
                                    const std::vector<LogEntry>& entries) {
  std::unordered_map<std::string, std::vector<std::string>> ids;  // by room
  for (const LogEntry& entry : entries) ids[entry.room].push_back(entry.id);
  std::vector<std::string> differences;
  for (std::size_t room = 0; room < plan.shape().rooms; ++room) {
    Append(CompareIds("Kafka", plan.Room(room), AckedIds(plan, run, room), ids[plan.Room(room)]),
           &differences);
  }
  return differences;
}

std::vector<std::string> CompareRows(const LoadPlan& plan, const LoadRun& run,
                                     const RowsByRoom& rows) {
  std::vector<std::string> differences;
  for (std::size_t room = 0; room < plan.shape().rooms; ++room) {
    std::vector<std::string> ids;
    std::unordered_map<std::string, Seq> places;
    for (const StoredRow& row : rows.at(plan.Room(room))) {
      ids.push_back(row.id);
      places[row.id] = row.seq;
    }
    Append(CompareIds("Postgres", plan.Room(room), AckedIds(plan, run, room), ids), &differences);
    for (std::size_t i = room; i < run.messages().size(); i += plan.shape().rooms) {
      const SentMessage& message = run.messages()[i];
      if (!message.acked || !places.contains(message.id)) continue;
      if (places[message.id] != message.seq) {
        differences.push_back("Postgres: " + message.id + " was acknowledged as " +
                              std::to_string(message.seq) + " and stands at " +
                              std::to_string(places[message.id]));
      }
    }
  }
  return differences;
}

std::vector<std::string> CompareViews(const LoadPlan& plan, LoadRun& run, const RowsByRoom& rows) {
  std::vector<std::string> differences;
  for (std::size_t room = 0; room < plan.shape().rooms; ++room) {
    for (std::size_t member = 0; member < plan.shape().members; ++member) {
      if (SameAsRows(run.ViewOf(room, member), rows.at(plan.Room(room)))) continue;
      differences.push_back("member " + plan.User(room, member) + " of room " + plan.Room(room) +
                            " did not receive the stored messages in their order");
    }
  }
  return differences;
}

}  // namespace minichat::loadtest
