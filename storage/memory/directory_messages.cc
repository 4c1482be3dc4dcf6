// The scripts of DirectoryState that handle messages.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>

#include "server/base/check.h"
#include "storage/memory/directory_state.h"

namespace minichat::memory {
namespace {

std::int64_t ToMillis(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

core::CommitReply Refusal(core::CommitReply::Outcome outcome) {
  core::CommitReply reply;
  reply.outcome = outcome;
  return reply;
}

}  // namespace

using core::CommitReply;
using core::CommitRequest;
using core::Generation;
using core::PlacedMessage;
using core::RoomId;
using core::Seq;

// ---- Commit: known, to be looked up, full, or new

CommitReply DirectoryState::Commit(std::int64_t now_ms, const CommitRequest& request) {
  ForgetExpiredKnown(now_ms);
  Room* room = Find(now_ms, request.message->room, request.generation);
  if (room == nullptr) return Refusal(CommitReply::Outcome::kCold);
  if (auto known = AnswerKnown(now_ms, *room, request)) return *known;

  if (MustBeLookedUp(now_ms, *room, request) && !IsGood(now_ms, request)) {
    CommitReply reply = Refusal(CommitReply::Outcome::kMiss);
    reply.miss = {now_ms, request.generation};
    return reply;
  }
  const std::uint64_t bytes = core::WindowBytesOf(*request.message);
  if (room->bytes + bytes > limits_.window_bytes_per_room ||
      total_bytes_ + bytes > limits_.window_bytes_total) {
    return Refusal(CommitReply::Outcome::kFull);
  }
  return PlaceNew(now_ms, *room, request);
}

std::optional<CommitReply> DirectoryState::AnswerKnown(std::int64_t now_ms, const Room& room,
                                                       const CommitRequest& request) const {
  const core::Message& message = *request.message;
  const auto unstored = room.unstored.find(message.id);
  const bool in_u = rules_.uknown && unstored != room.unstored.end();
  const Known* known = FindKnown(now_ms, message.id, request.generation);
  if (!in_u && known == nullptr) return std::nullopt;

  CommitReply reply;
  reply.place = in_u ? unstored->second.place : known->place;
  reply.sent_at_ms = in_u ? unstored->second.sent_at_ms : known->sent_at_ms;
  reply.route_version = room.route_version;
  reply.duplicate = true;
  reply.own_attempt = known != nullptr && known->attempt == request.attempt;
  const core::BodyHash hash = in_u ? unstored->second.hash : known->hash;
  if (hash != message.hash) reply.outcome = CommitReply::Outcome::kConflict;
  return reply;
}

const DirectoryState::Known* DirectoryState::FindKnown(std::int64_t now_ms,
                                                       const core::MessageId& id,
                                                       Generation generation) const {
  const auto it = known_.find(id);
  if (it == known_.end() || it->second.expires_at_ms <= now_ms) return nullptr;
  if (rules_.dgen && it->second.place.generation != generation) return nullptr;
  return &it->second;
}

// A miss is certain when this memory can't have forgotten the id: it is older than any unmarked
// retry, and the send isn't marked as a late one.
bool DirectoryState::MustBeLookedUp(std::int64_t now_ms, const Room& room,
                                    const CommitRequest& request) const {
  if (request.resend) return true;
  if (!rules_.newlook || !room.recently_used) return false;
  const std::int64_t since = mark_.number == request.generation ? mark_.since_ms : now_ms;
  return now_ms - since < ToMillis(limits_.node_ttl + limits_.dedup_ttl);
}

bool DirectoryState::IsGood(std::int64_t now_ms, const CommitRequest& request) const {
  if (!request.looked_up) return false;
  const core::LookedUpMiss& miss = *request.looked_up;
  if (rules_.missgen && miss.generation != request.generation) return false;
  return !rules_.misstime || now_ms - miss.at_ms <= ToMillis(limits_.dedup_ttl) / 2;
}

CommitReply DirectoryState::PlaceNew(std::int64_t now_ms, Room& room,
                                     const CommitRequest& request) {
  const core::Message& message = *request.message;
  const Seq floor = core::FloorOf(request.generation, limits_.generation_step);
  const Seq below = rules_.floor ? std::max(room.head, floor) : room.head;
  const core::Place place{below + 1, room.head, request.generation};

  room.head = place.seq;
  room.expires_at_ms.reset();
  room.hot[place.seq] = {request.message, place};
  room.unstored[message.id] = {place, message.hash, message.sent_at_ms, now_ms};
  room.bytes += core::WindowBytesOf(message);
  total_bytes_ += core::WindowBytesOf(message);

  const std::int64_t expires_at_ms = now_ms + ToMillis(limits_.dedup_ttl);
  known_[message.id] = {place, message.hash, request.attempt, message.sent_at_ms, expires_at_ms};
  known_by_age_.emplace_back(expires_at_ms, message.id);

  CommitReply reply;
  reply.place = place;
  reply.route_version = room.route_version;
  reply.own_attempt = true;
  reply.filling = core::IsFilling(room.bytes, limits_.window_bytes_per_room) ||
                  core::IsFilling(total_bytes_, limits_.window_bytes_total);
  reply.sent_at_ms = message.sent_at_ms;
  return reply;
}

void DirectoryState::ForgetExpiredKnown(std::int64_t now_ms) {
  while (!known_by_age_.empty() && known_by_age_.front().first <= now_ms) {
    const auto it = known_.find(known_by_age_.front().second);
    if (it != known_.end() && it->second.expires_at_ms <= now_ms) known_.erase(it);
    known_by_age_.pop_front();
  }
}

// ---- From place to row

std::vector<core::UnstoredPlace> DirectoryState::TakeUnstored(
    std::int64_t now_ms, const RoomId& id, const std::vector<core::MessageId>& ids,
    Generation generation) {
  std::vector<core::UnstoredPlace> found;
  const Room* room = Find(now_ms, id, generation);
  if (room == nullptr) return found;
  for (const core::MessageId& wanted : ids) {
    const auto it = room->unstored.find(wanted);
    if (it == room->unstored.end()) continue;
    found.push_back({wanted, it->second.place, it->second.hash});
  }
  return found;
}

void DirectoryState::MarkStored(std::int64_t now_ms, const RoomId& id,
                                const std::vector<std::pair<core::MessageId, Seq>>& stored,
                                Generation generation) {
  Room* room = Find(now_ms, id, generation);
  if (room == nullptr) return;
  for (const auto& [message, seq] : stored) {
    const auto it = room->unstored.find(message);
    if (it == room->unstored.end()) continue;
    if (it->second.place.seq == seq || !rules_.markseq) room->unstored.erase(it);
  }
  Trim(*room);
  if (room->unstored.empty()) room->expires_at_ms = now_ms + ToMillis(limits_.room_ttl);
}

// From the low end only, and not past what has no row: window + rows are complete.
void DirectoryState::Trim(Room& room) {
  std::set<Seq> unstored;
  for (const auto& [id, entry] : room.unstored) unstored.insert(entry.place.seq);
  auto it = room.hot.begin();
  while (room.hot.size() > limits_.window_events && it != room.hot.end()) {
    if (unstored.contains(it->first)) {
      if (rules_.lowtrim) break;
      ++it;
      continue;
    }
    const std::uint64_t bytes = core::WindowBytesOf(*it->second.message);
    room.bytes -= bytes;
    total_bytes_ -= bytes;
    it = room.hot.erase(it);
  }
}

std::vector<PlacedMessage> DirectoryState::UnstoredOlderThan(std::int64_t now_ms, Duration age,
                                                             std::size_t limit,
                                                             Generation generation) {
  std::vector<PlacedMessage> old;
  for (auto it = rooms_.begin(); it != rooms_.end() && old.size() < limit;) {
    const RoomId id = (it++)->first;  // Find() may remove the room
    const Room* room = Find(now_ms, id, generation);
    if (room == nullptr) continue;
    for (const auto& [message, entry] : room->unstored) {
      const auto hot = room->hot.find(entry.place.seq);
      if (now_ms - entry.placed_at_ms <= ToMillis(age) || hot == room->hot.end()) continue;
      if (old.size() < limit) old.push_back(hot->second);
    }
  }
  return old;
}

// ---- Reading

core::WindowReply DirectoryState::Window(std::int64_t now_ms, const core::WindowRequest& request) {
  const Room* room = Find(now_ms, request.room, request.generation);
  core::WindowReply reply;
  reply.cold = room == nullptr;
  if (reply.cold) return reply;

  reply.head = room->head;
  reply.empty = room->hot.empty();
  if (!reply.empty) {
    const core::Place& lowest = room->hot.begin()->second.place;
    reply.lowest_seq = lowest.seq;
    reply.lowest_prev = lowest.prev;
  }
  if (request.after >= request.before) return reply;
  auto begin = room->hot.upper_bound(request.after);
  auto end = room->hot.lower_bound(request.before);
  const auto size = static_cast<std::size_t>(std::distance(begin, end));
  if (size > request.limit) {
    if (request.from_end) std::advance(begin, size - request.limit);
    if (!request.from_end) end = std::next(begin, static_cast<std::ptrdiff_t>(request.limit));
  }
  for (; begin != end; ++begin) reply.messages.push_back(begin->second);
  return reply;
}

std::vector<core::RoomHead> DirectoryState::Heads(std::int64_t now_ms,
                                                  const std::vector<RoomId>& rooms,
                                                  Generation generation) {
  std::vector<core::RoomHead> heads;
  heads.reserve(rooms.size());
  for (const RoomId& id : rooms) {
    const Room* room = Find(now_ms, id, generation);
    if (room == nullptr) {
      heads.push_back({.cold = true});
      continue;
    }
    Seq first_unstored = room->head + 1;
    for (const auto& [message, entry] : room->unstored) {
      first_unstored = std::min(first_unstored, entry.place.seq);
    }
    const auto routes = routes_.find(id);
    heads.push_back({false, room->head, first_unstored - 1, room->route_version,
                     routes == routes_.end() ? 0 : routes->second.size()});
  }
  return heads;
}

}  // namespace minichat::memory
