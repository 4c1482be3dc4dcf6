#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace minichat::redis {

// The files in scripts/, one for each method of core::RoomDirectory.
enum class Script {
  kAccessAdd,
  kAccessAfter,
  kClean,
  kCommit,
  kGenerationGet,
  kGenerationSet,
  kHeads,
  kHeartbeat,
  kJoin,
  kLease,
  kLeave,
  kMark,
  kRegister,
  kRelayMode,
  kReroute,
  kRoutes,
  kTake,
  kUnregister,
  kUnstored,
  kWarm,
  kWindow,
};
inline constexpr std::size_t kScriptCount = 21;

// The name of the script's file, without ".lua".
std::string_view NameOf(Script script);

// What the server is given: the text of each script, by Script.
using ScriptSet = std::array<std::string, kScriptCount>;

// The files as they were at build time, each with common.lua before it.
ScriptSet EmbeddedScripts();

// The text of one file; empty when there is none of that name.
std::string_view EmbeddedFile(std::string_view name);

}  // namespace minichat::redis
