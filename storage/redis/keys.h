#pragma once

#include <cstdint>
#include <string>

#include "server/base/scheduler.h"
#include "server/core/ids.h"

// The names of keys (what they hold: scripts/common.lua), and how numbers are written.
namespace minichat::redis {

inline constexpr const char* kNodesKey = "nodes";
inline constexpr const char* kGenerationKey = "minichat:gen";
inline constexpr const char* kAccessKey = "minichat:access";
inline constexpr const char* kAccessChangesKey = "minichat:changes";
inline constexpr const char* kRelayKey = "minichat:relay";
inline constexpr const char* kWindowBytesKey = "minichat:hotbytes";
inline constexpr const char* kUnstoredRoomsKey = "minichat:unstored";

inline std::string NodeKey(const core::NodeName& node) {
  return "node:" + node.value();
}

inline std::string RoomKey(const core::RoomId& room, const char* name) {
  return "{r:" + room.value() + "}:" + name;
}
inline std::string MetaKey(const core::RoomId& room) {
  return RoomKey(room, "m");
}
inline std::string WindowKey(const core::RoomId& room) {
  return RoomKey(room, "hot");
}
inline std::string UnstoredKey(const core::RoomId& room) {
  return RoomKey(room, "u");
}
inline std::string RoutesKey(const core::RoomId& room) {
  return RoomKey(room, "routes");
}
inline std::string LeaseKey(const core::RoomId& room) {
  return RoomKey(room, "l");
}
inline std::string DedupKey(const core::RoomId& room, const core::MessageId& id) {
  return RoomKey(room, "d:").append(id.bytes());
}

inline std::string ToText(std::uint64_t number) {
  return std::to_string(number);
}
inline std::string ToMillis(Duration duration) {
  return std::to_string(duration / std::chrono::milliseconds(1));
}

}  // namespace minichat::redis
