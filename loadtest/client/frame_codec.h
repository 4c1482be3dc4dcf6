#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace minichat::loadtest {

// The client's side of RFC 6455, as pure functions over bytes. Written from the RFC and sharing no
// code with the server, so that one side's mistake is not mirrored by the other.

enum class Opcode : std::uint8_t {
  kContinuation = 0x0,
  kText = 0x1,
  kBinary = 0x2,
  kClose = 0x8,
  kPing = 0x9,
  kPong = 0xA,
};

using MaskKey = std::array<std::uint8_t, 4>;

// The Sec-WebSocket-Accept that a server must answer to `key`.
std::string AcceptFor(std::string_view key);
std::string MakeUpgradeRequest(std::string_view host, std::string_view path, std::string_view key,
                               std::string_view extra_headers = {});

// Appends one masked frame to `out`.
void AppendFrame(Opcode opcode, std::string_view payload, MaskKey mask, bool fin, std::string* out);
// Payload of a close frame.
std::string ClosePayload(std::uint16_t code, std::string_view reason);

// An HTTP response head, up to and without its empty line.
struct ResponseHead {
  int status = 0;
  std::string accept;  // Sec-WebSocket-Accept
  std::optional<std::size_t> content_length;
  std::size_t bytes = 0;  // length of the head in the input
};
// Nothing while the head is incomplete; status 0 when it is not HTTP.
std::optional<ResponseHead> ParseResponseHead(std::string_view input);

// One message or control frame.
struct Incoming {
  Opcode opcode = Opcode::kText;
  std::string_view payload;  // valid until the next call
};

// Cuts a server's byte stream into messages: joins fragments, lets control frames between them
// through.
//
// Threading: thread-compatible.
// Errors:    error() says which rule of the RFC the server broke; nothing more comes out then.
// Limits:    a message of at most 16 MiB.
class FrameReader {
 public:
  void Append(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole message or control frame.
  std::optional<Incoming> Next();
  const std::string& error() const { return error_; }

 private:
  struct Head {
    bool fin = false;
    Opcode opcode = Opcode::kText;
    std::size_t payload_bytes = 0;
    std::size_t head_bytes = 0;
  };

  std::optional<Head> ParseHead();
  bool Allowed(const Head& head);
  std::optional<Incoming> Take(const Head& head);
  void Compact();

  std::string buffer_;
  std::size_t read_ = 0;  // buffer_ before this is used up
  std::string message_;   // fragments so far, or the last joined message
  std::optional<Opcode> fragmented_;
  std::string error_;
};

}  // namespace minichat::loadtest
