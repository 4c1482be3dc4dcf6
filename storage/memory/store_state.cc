#include "storage/memory/store_state.h"

#include <algorithm>
#include <iterator>

namespace minichat::memory {
namespace {

// What a row weighs besides its strings.
constexpr std::uint64_t kRowOverhead = 256;

std::uint64_t BytesOf(const core::Message& message) {
  return kRowOverhead + message.body.size() + message.room.value().size() +
         message.sender.value().size() + message.cid.value().size();
}

}  // namespace

StoreState::StoreState(StoreLimits limits, core::ProtocolRules rules)
    : limits_(limits), rules_(rules), current_(limits.current) {}

core::WarmingFacts StoreState::PrepareWarming(std::int64_t now_ms, const core::RoomId& id,
                                              core::Generation generation) {
  if (rules_.raised) current_ = std::max(current_, generation);
  if (current_ > generation && rules_.warmcur) return {.refused = true};
  const auto room = rooms_.find(id);
  if (room == rooms_.end() || room->second.rows.empty()) return {};
  const auto& [seq, newest] = *room->second.rows.rbegin();
  return {false, seq, std::max<std::int64_t>(0, now_ms - newest.written_at_ms)};
}

std::optional<core::StoredRow> StoreState::Lookup(const core::RoomId& id,
                                                  const core::MessageId& message,
                                                  const std::optional<core::MessageId>& variant,
                                                  core::BodyHash hash) const {
  const auto room = rooms_.find(id);
  if (room == rooms_.end()) return std::nullopt;
  std::optional<core::StoredRow> best;
  const auto consider = [&](const core::MessageId& wanted) {
    const auto [begin, end] = room->second.by_id.equal_range(wanted);
    for (auto it = begin; it != end; ++it) {
      const core::Message& found = *room->second.rows.at(it->second).placed.message;
      const core::StoredRow row{it->second, found.hash, found.sent_at_ms};
      const auto rank = [hash](const core::StoredRow& r) {
        return std::pair(r.hash != hash, r.seq);
      };
      if (!best || rank(row) < rank(*best)) best = row;
    }
  };
  consider(message);
  if (variant) consider(*variant);
  return best;
}

core::InsertReply StoreState::Insert(std::int64_t now_ms, const std::vector<core::NewRow>& rows,
                                     core::Generation generation) {
  if (!rules_.raised) current_ = std::max(current_, generation);
  core::InsertReply reply;
  reply.fenced = rules_.fence && current_ != generation;
  if (reply.fenced) return reply;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::PlacedMessage& placed = rows[i].placed;
    const auto& present = rooms_[placed.message->room].rows;
    const auto taken = present.find(placed.place.seq);
    if (taken == present.end()) {
      Write(now_ms, rows[i]);
    } else if (taken->second.placed.message->id != placed.message->id) {
      reply.dead.push_back(i);
      AddDeadLetters({{rows[i].partition.value_or(-1), rows[i].offset.value_or(-1),
                       "the place holds another id", core::SerializeMessage(*placed.message, 0)}});
    }
  }
  return reply;
}

void StoreState::Write(std::int64_t now_ms, const core::NewRow& row) {
  const core::MessagePtr& message = row.placed.message;
  const core::Seq seq = row.placed.place.seq;
  Room& room = rooms_[message->room];
  room.rows[seq] = {{message, {.seq = seq}}, now_ms};
  room.by_id.emplace(message->id, seq);
  by_age_.emplace_back(message->room, seq);
  bytes_ += BytesOf(*message);
  while (bytes_ > limits_.bytes && by_age_.size() > 1) DropOldest();
}

void StoreState::DropOldest() {
  const auto [id, seq] = by_age_.front();
  by_age_.pop_front();
  Room& room = rooms_.at(id);
  const core::MessagePtr message = room.rows.at(seq).placed.message;
  const auto [begin, end] = room.by_id.equal_range(message->id);
  const auto entry =
      std::find_if(begin, end, [seq = seq](const auto& e) { return e.second == seq; });
  room.by_id.erase(entry);
  room.rows.erase(seq);
  bytes_ -= BytesOf(*message);
  ++dropped_rows_;
}

std::vector<core::PlacedMessage> StoreState::Range(const core::RangeRequest& request) const {
  std::vector<core::PlacedMessage> found;
  const auto* rows = RowsOf(request.room);
  if (rows == nullptr || request.after >= request.before) return found;
  const auto begin = rows->upper_bound(request.after);
  const auto end = rows->lower_bound(request.before);
  if (request.from_end) {
    for (auto it = end; it != begin && found.size() < request.limit;) {
      found.push_back((--it)->second.placed);
    }
    std::reverse(found.begin(), found.end());
    return found;
  }
  for (auto it = begin; it != end && found.size() < request.limit; ++it) {
    found.push_back(it->second.placed);
  }
  return found;
}

void StoreState::AddDeadLetters(std::vector<core::DeadLetter> letters) {
  for (core::DeadLetter& letter : letters) dead_letters_.push_back(std::move(letter));
  while (dead_letters_.size() > limits_.dead_letters) {
    dead_letters_.pop_front();
    ++dropped_letters_;
  }
}

const std::map<core::Seq, StoreState::Row>* StoreState::RowsOf(const core::RoomId& room) const {
  const auto it = rooms_.find(room);
  return it == rooms_.end() ? nullptr : &it->second.rows;
}

}  // namespace minichat::memory
