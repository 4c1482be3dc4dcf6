#include "loadtest/smoke/load_plan.h"

#include <charconv>
#include <set>
#include <utility>

namespace minichat::loadtest {
namespace {

constexpr std::size_t kRecipientsPerBulkCall = 512;  // docs/protocol.md

}  // namespace

std::vector<std::string> LoadPlan::Rooms() const {
  std::vector<std::string> rooms;
  for (std::size_t room = 0; room < shape_.rooms; ++room) rooms.push_back(Room(room));
  return rooms;
}

std::string LoadPlan::User(std::size_t room, std::size_t member) const {
  return "u" + std::to_string(room) + "-" + std::to_string(member);
}

std::size_t LoadPlan::MessageOf(const std::string& text) const {
  const std::string prefix = label_ + "-m";
  if (!text.starts_with(prefix)) return shape_.messages;
  std::size_t message = shape_.messages;
  std::from_chars(text.data() + prefix.size(), text.data() + text.size(), message);
  return message < shape_.messages ? message : shape_.messages;
}

Clock::duration LoadPlan::SendTime(std::size_t message) const {
  const std::chrono::duration<double> time(static_cast<double>(message) / shape_.rate);
  return std::chrono::duration_cast<Clock::duration>(time);
}

std::size_t LoadPlan::MembersOn(std::size_t room, std::size_t node) const {
  std::size_t count = 0;
  for (std::size_t member = 0; member < shape_.members; ++member) {
    if (NodeOf(room, member) == node) ++count;
  }
  return count;
}

std::size_t LoadPlan::CallsOf(std::size_t message, bool single) const {
  const std::size_t room = RoomOf(message);
  const std::size_t from = NodeOf(room, SenderOf(message));
  std::size_t calls = 0;
  for (std::size_t node = 0; node < shape_.nodes; ++node) {
    if (node == from) continue;
    const std::size_t recipients = MembersOn(room, node);
    calls +=
        single ? recipients : (recipients + kRecipientsPerBulkCall - 1) / kRecipientsPerBulkCall;
  }
  return calls;
}

std::size_t LoadPlan::RelayCalls(const std::string& mode) const {
  std::size_t calls = 0;
  for (std::size_t i = 0; i < shape_.messages; ++i) calls += CallsOf(i, mode == "single");
  return calls;
}

std::size_t LoadPlan::NodePairs() const {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < shape_.messages; ++i) {
    const std::size_t room = RoomOf(i);
    for (std::size_t member = 0; member < shape_.members; ++member) {
      pairs.emplace(NodeOf(room, SenderOf(i)), NodeOf(room, member));
    }
  }
  return pairs.size();
}

}  // namespace minichat::loadtest
