#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/base/status.h"
#include "server/core/ports/room_directory.h"

struct redisReply;

// What the scripts answer, as the types of the port. Pure functions; a reply of another shape than
// the script's is an Internal status.
namespace minichat::redis {

Result<core::GenerationMark> DecodeGeneration(const redisReply& reply);
Result<core::RegisterOutcome> DecodeRegister(const redisReply& reply);

struct Beat {
  core::HeartbeatReply reply;
  std::uint64_t window_bytes = 0;  // of all rooms
};
Result<Beat> DecodeHeartbeat(const redisReply& reply);
Result<core::RelayModeSetting> DecodeRelayMode(const redisReply& reply);

Result<std::uint64_t> DecodeVersion(const redisReply& reply);
Result<core::AccessNews> DecodeAccessNews(const redisReply& reply);

Result<core::JoinOutcome> DecodeJoin(const redisReply& reply);
Result<core::RoomRoutes> DecodeRoutes(const redisReply& reply);

Result<core::CommitReply> DecodeCommit(const redisReply& reply, core::Generation generation);
Result<std::vector<core::UnstoredPlace>> DecodeUnstoredPlaces(const redisReply& reply,
                                                              core::Generation generation);
// Entries of a window's stream.
Result<std::vector<core::PlacedMessage>> DecodeEntries(const redisReply& reply,
                                                       core::Generation generation);
Result<core::WindowReply> DecodeWindow(const redisReply& reply, core::Generation generation);
Result<std::vector<core::RoomHead>> DecodeHeads(const redisReply& reply);

Result<core::LeaseOutcome> DecodeLease(const redisReply& reply);
Result<core::WarmOutcome> DecodeWarm(const redisReply& reply);

// "kind user room session before_ms", with "*" for what is empty.
std::string EncodeAccessChange(const core::AccessChange& change);
// A route's value: "user node incarnation". Ids hold no spaces.
std::string EncodeRoute(const core::Route& route);

}  // namespace minichat::redis
