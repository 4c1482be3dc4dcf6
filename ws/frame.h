#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// What goes to clients byte by byte: WebSocket frames (RFC 6455, 5.2) as a server writes them.
// Pure functions.
namespace minichat::ws {

// A whole frame, header and payload in one piece. The same one lies in the queues of all sessions
// that get it.
using Frame = std::shared_ptr<const std::string>;

// An unfragmented text frame.
std::string TextFrame(std::string_view payload);
Frame MakeTextFrame(std::string_view payload);
// An empty ping.
std::string PingFrame();

// Is it one whole text frame, and nothing else? Looks at the header only.
bool IsTextFrame(std::string_view bytes);
// Does it begin as a close frame does?
bool IsCloseFrame(std::string_view bytes);
// The code of an unmasked close frame; 1005 when it has none, as the RFC names that.
std::uint16_t CloseCodeOf(std::string_view close_frame);

}  // namespace minichat::ws
