#include "storage/redis/scripts.h"

#include "server/base/check.h"

namespace minichat::redis {
namespace {

constexpr std::array<std::string_view, kScriptCount> kNames = {
    "access_add", "access_after", "clean",   "commit", "generation_get", "generation_set",
    "heads",      "heartbeat",    "join",    "lease",  "leave",          "mark",
    "register",   "relay_mode",   "reroute", "routes", "take",           "unregister",
    "unstored",   "warm",         "window"};
static_assert(static_cast<std::size_t>(Script::kWindow) + 1 == kScriptCount);

}  // namespace

std::string_view NameOf(Script script) {
  return kNames[static_cast<std::size_t>(script)];
}

ScriptSet EmbeddedScripts() {
  ScriptSet scripts;
  for (std::size_t i = 0; i < kScriptCount; ++i) {
    const std::string_view text = EmbeddedFile(kNames[i]);
    CHECK(!text.empty());  // the build embeds all of them
    scripts[i] = std::string(EmbeddedFile("common")) + std::string(text);
  }
  return scripts;
}

}  // namespace minichat::redis
