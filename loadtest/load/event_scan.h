#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace minichat::loadtest {

// What a load session needs of a `message` event. Views into the frame.
struct ScannedEvent {
  std::string_view room;
  std::uint64_t seq = 0;
  std::string_view id;
  std::string_view text;
};

// Reads a `message` event whose fields stand in the order of docs/protocol.md and whose strings
// need no unescaping, some fifty times faster than a JSON parser. Nothing for any other frame: the
// caller parses that as JSON, so no order is relied upon.
std::optional<ScannedEvent> ScanEvent(std::string_view frame);

}  // namespace minichat::loadtest
