// The methods of RedisDirectory that handle messages and warm rooms.
#include <algorithm>
#include <utility>

#include "storage/redis/keys.h"
#include "storage/redis/redis_connection.h"
#include "storage/redis/redis_directory.h"
#include "storage/redis/reply_codec.h"

namespace minichat::redis {
namespace {

// Rooms that one script call reads: 256 cost the server about 0.4 ms.
constexpr std::size_t kHeadsPerCall = 256;

}  // namespace

using core::Generation;
using core::RoomId;

// ---- Messages

void RedisDirectory::Commit(const core::CommitRequest& request, Deadline deadline,
                            Callback<Result<core::CommitReply>> done) {
  const core::Message& message = *request.message;
  const core::DirectoryLimits& limits = options_.limits;
  const auto& looked_up = request.looked_up;
  RunFor(Script::kCommit,
         {MetaKey(message.room), WindowKey(message.room), UnstoredKey(message.room),
          DedupKey(message.room, message.id), kGenerationKey, kWindowBytesKey, kUnstoredRoomsKey},
         {ToText(request.generation),
          ToText(core::FloorOf(request.generation, limits.generation_step)), message.room.value(),
          std::string(message.id.bytes()), ToText(message.hash), ToText(request.attempt),
          std::to_string(message.sent_at_ms), core::SerializeMessage(message, request.attempt),
          ToText(core::WindowBytesOf(message)), request.resend ? "1" : "0",
          looked_up ? std::to_string(looked_up->at_ms) : "",
          looked_up ? ToText(looked_up->generation) : "", ToMillis(limits.dedup_ttl),
          ToMillis(limits.dedup_ttl + limits.node_ttl), ToText(limits.window_bytes_per_room),
          ToText(limits.window_bytes_total)},
         deadline, std::move(done), [generation = request.generation](const redisReply& reply) {
           return DecodeCommit(reply, generation);
         });
}

void RedisDirectory::TakeUnstored(const RoomId& room, std::vector<core::MessageId> ids,
                                  Generation generation, Deadline deadline,
                                  Callback<Result<std::vector<core::UnstoredPlace>>> done) {
  Strings args = {ToText(generation)};
  for (const core::MessageId& id : ids) args.emplace_back(id.bytes());
  RunFor(Script::kTake, {MetaKey(room), UnstoredKey(room)}, args, deadline, std::move(done),
         [generation](const redisReply& reply) { return DecodeUnstoredPlaces(reply, generation); });
}

void RedisDirectory::MarkStored(const RoomId& room,
                                std::vector<std::pair<core::MessageId, core::Seq>> stored,
                                Generation generation, Deadline deadline, Callback<Status> done) {
  Strings args = {ToText(generation), room.value(), ToMillis(options_.limits.room_ttl),
                  ToText(options_.limits.window_events)};
  for (const auto& [id, seq] : stored) {
    args.emplace_back(id.bytes());
    args.push_back(ToText(seq));
  }
  RunForStatus(
      Script::kMark,
      {MetaKey(room), WindowKey(room), UnstoredKey(room), kWindowBytesKey, kUnstoredRoomsKey}, args,
      deadline, std::move(done));
}

void RedisDirectory::UnstoredOlderThan(Duration age, std::size_t limit, Generation generation,
                                       Deadline deadline,
                                       Callback<Result<std::vector<core::PlacedMessage>>> done) {
  RunFor(Script::kUnstored, {kUnstoredRoomsKey, kGenerationKey},
         {ToText(generation), ToMillis(age), ToText(limit)}, deadline, std::move(done),
         [generation](const redisReply& reply) { return DecodeEntries(reply, generation); });
}

void RedisDirectory::Window(const core::WindowRequest& request, Deadline deadline,
                            Callback<Result<core::WindowReply>> done) {
  // Both ends of the request are exclusive, those of the stream's range are not. With nothing
  // between them the range is empty.
  const core::Seq last = request.before == 0 ? 0 : request.before - 1;
  const bool from_end = request.from_end;
  RunFor(Script::kWindow, {MetaKey(request.room), WindowKey(request.room)},
         {ToText(request.generation), ToText(request.after + 1), ToText(last),
          ToText(request.limit), from_end ? "1" : "0"},
         deadline, std::move(done),
         [from_end, generation = request.generation](const redisReply& reply) {
           auto window = DecodeWindow(reply, generation);
           if (window.ok() && from_end) {
             std::reverse(window->messages.begin(), window->messages.end());
           }
           return window;
         });
}

// One Heads() in parts: the answer is complete when all parts are in.
struct RedisDirectory::HeadsQuery {
  std::vector<core::RoomHead> heads;
  std::size_t missing = 0;  // parts
  Status status;            // of the first part that failed
  Callback<Result<std::vector<core::RoomHead>>> done;

  void OnPart(std::size_t begin, std::size_t count, Result<std::vector<core::RoomHead>> part) {
    if (part.ok() && part->size() != count) part = Internal("redis: heads: wrong number of rooms");
    if (part.ok()) {
      std::copy(part->begin(), part->end(), heads.begin() + static_cast<std::ptrdiff_t>(begin));
    } else if (status.ok()) {
      status = part.status();
    }
    if (--missing > 0) return;
    status.ok() ? done(std::move(heads)) : done(status);
  }
};

void RedisDirectory::Heads(std::vector<RoomId> rooms, Generation generation, Deadline deadline,
                           Callback<Result<std::vector<core::RoomHead>>> done) {
  const auto query = std::make_shared<HeadsQuery>();
  query->heads.resize(rooms.size());
  query->missing = std::max<std::size_t>(1, (rooms.size() + kHeadsPerCall - 1) / kHeadsPerCall);
  query->done = std::move(done);
  std::size_t begin = 0;
  do {
    const std::size_t count = std::min(kHeadsPerCall, rooms.size() - begin);
    Strings keys;
    for (std::size_t i = begin; i < begin + count; ++i) {
      keys.push_back(MetaKey(rooms[i]));
      keys.push_back(RoutesKey(rooms[i]));
    }
    RunFor<std::vector<core::RoomHead>>(
        Script::kHeads, keys, {ToText(generation)}, deadline,
        [query, begin, count](Result<std::vector<core::RoomHead>> part) {
          query->OnPart(begin, count, std::move(part));
        },
        DecodeHeads);
    begin += count;
  } while (begin < rooms.size());
}

// ---- Warming

void RedisDirectory::Lease(const RoomId& room, const std::string& token, Generation generation,
                           Deadline deadline, Callback<Result<core::LeaseOutcome>> done) {
  RunFor(Script::kLease, {MetaKey(room), LeaseKey(room)},
         {ToText(generation), token, ToMillis(options_.limits.lease_ttl)}, deadline,
         std::move(done), DecodeLease);
}

void RedisDirectory::Warm(const core::WarmRequest& request, Deadline deadline,
                          Callback<Result<core::WarmOutcome>> done) {
  const RoomId& room = request.room;
  // No node has such a version in its cache from an earlier life of the room; never 0, and with
  // room to count up below 2^53.
  const std::uint64_t version = (scheduler_.Random() >> 14) + 1;
  RunFor(Script::kWarm,
         {MetaKey(room), WindowKey(room), UnstoredKey(room), LeaseKey(room), kGenerationKey,
          kWindowBytesKey, kUnstoredRoomsKey},
         {ToText(request.generation), room.value(), request.lease_token, ToText(request.max_seq),
          request.recently_used ? "1" : "0", ToText(version), ToMillis(options_.limits.room_ttl)},
         deadline, std::move(done), DecodeWarm);
}

}  // namespace minichat::redis
