#include "loadtest/client/frame_codec.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <openssl/evp.h>
#include <openssl/sha.h>

namespace minichat::loadtest {
namespace {

constexpr std::string_view kHandshakeGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kMaxMessageBytes = 16 << 20;
constexpr std::size_t kCompactAbove = 64 << 10;

bool IsControl(Opcode opcode) {
  return static_cast<std::uint8_t>(opcode) >= 0x8;
}

std::uint8_t ByteAt(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

void ReadHeader(std::string_view line, ResponseHead* head) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = Lower(line.substr(0, colon));
  const std::string_view value = Trim(line.substr(colon + 1));
  if (name == "sec-websocket-accept") head->accept = value;
  if (name == "content-length") {
    std::size_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    head->content_length = length;
  }
}

int ParseStatusLine(std::string_view line) {
  if (!line.starts_with("HTTP/1.") || line.size() < 12) return 0;
  int status = 0;
  std::from_chars(line.data() + 9, line.data() + 12, status);
  return status;
}

}  // namespace

std::string AcceptFor(std::string_view key) {
  const std::string input = std::string(key) + std::string(kHandshakeGuid);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(input.data()), input.size(), digest.data());
  std::array<unsigned char, 32> text{};
  const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
  return {reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(length)};
}

std::string MakeUpgradeRequest(std::string_view host, std::string_view path, std::string_view key,
                               std::string_view extra_headers) {
  std::string request = "GET ";
  request.append(path).append(" HTTP/1.1\r\nHost: ").append(host);
  request.append("\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13");
  request.append("\r\nSec-WebSocket-Protocol: minichat.v1.json\r\nSec-WebSocket-Key: ").append(key);
  request.append("\r\n").append(extra_headers).append("\r\n");
  return request;
}

void AppendFrame(Opcode opcode, std::string_view payload, MaskKey mask, bool fin,
                 std::string* out) {
  out->push_back(static_cast<char>((fin ? 0x80 : 0) | static_cast<std::uint8_t>(opcode)));
  const std::size_t size = payload.size();
  int length_bytes = 0;
  if (size < 126) {
    out->push_back(static_cast<char>(0x80 | size));
  } else {
    length_bytes = size <= 0xFFFF ? 2 : 8;
    out->push_back(static_cast<char>(0x80 | (length_bytes == 2 ? 126 : 127)));
  }
  for (int i = length_bytes - 1; i >= 0; --i) out->push_back(static_cast<char>(size >> (8 * i)));
  for (const std::uint8_t byte : mask) out->push_back(static_cast<char>(byte));
  for (std::size_t i = 0; i < size; ++i) {
    out->push_back(static_cast<char>(ByteAt(payload, i) ^ mask[i % mask.size()]));
  }
}

std::string ClosePayload(std::uint16_t code, std::string_view reason) {
  std::string payload{static_cast<char>(code >> 8), static_cast<char>(code)};
  return payload.append(reason);
}

std::optional<ResponseHead> ParseResponseHead(std::string_view input) {
  const std::size_t end = input.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  ResponseHead head;
  head.bytes = end + 4;
  std::string_view rest = input.substr(0, end);
  bool first = true;
  while (!rest.empty()) {
    const std::size_t eol = std::min(rest.find("\r\n"), rest.size());
    const std::string_view line = rest.substr(0, eol);
    if (first) head.status = ParseStatusLine(line);
    if (!first) ReadHeader(line, &head);
    first = false;
    rest.remove_prefix(std::min(eol + 2, rest.size()));
  }
  return head;
}

std::optional<FrameReader::Head> FrameReader::ParseHead() {
  const std::string_view in = std::string_view(buffer_).substr(read_);
  if (in.size() < 2) return std::nullopt;
  Head head;
  head.fin = (ByteAt(in, 0) & 0x80) != 0;
  head.opcode = static_cast<Opcode>(ByteAt(in, 0) & 0x0F);
  if ((ByteAt(in, 0) & 0x70) != 0) error_ = "reserved bits are set";
  if ((ByteAt(in, 1) & 0x80) != 0) error_ = "a server's frame is masked";
  std::size_t size = ByteAt(in, 1) & 0x7F;
  const std::size_t length_bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (in.size() < 2 + length_bytes) return std::nullopt;
  if (length_bytes > 0) size = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) size = (size << 8) | ByteAt(in, 2 + i);
  if (size > kMaxMessageBytes) error_ = "a frame is above 16 MiB";
  head.payload_bytes = size;
  head.head_bytes = 2 + length_bytes;
  return head;
}

bool FrameReader::Allowed(const Head& head) {
  if (!error_.empty()) return false;
  if (IsControl(head.opcode)) {
    if (!head.fin || head.payload_bytes > 125) error_ = "a control frame is cut or too long";
  } else if ((head.opcode == Opcode::kContinuation) != fragmented_.has_value()) {
    error_ = "fragments are out of order";
  }
  if (message_.size() + head.payload_bytes > kMaxMessageBytes) error_ = "a message is above 16 MiB";
  return error_.empty();
}

std::optional<Incoming> FrameReader::Take(const Head& head) {
  const std::string_view payload =
      std::string_view(buffer_).substr(read_ + head.head_bytes, head.payload_bytes);
  read_ += head.head_bytes + head.payload_bytes;
  if (IsControl(head.opcode)) return Incoming{head.opcode, payload};
  if (head.fin && !fragmented_) return Incoming{head.opcode, payload};
  if (!fragmented_) {
    fragmented_ = head.opcode;
    message_.clear();
  }
  message_.append(payload);
  if (!head.fin) return std::nullopt;
  const Opcode opcode = *fragmented_;
  fragmented_.reset();
  return Incoming{opcode, message_};
}

std::optional<Incoming> FrameReader::Next() {
  Compact();
  while (error_.empty()) {
    const std::optional<Head> head = ParseHead();
    if (!head || !Allowed(*head)) return std::nullopt;
    if (buffer_.size() - read_ < head->head_bytes + head->payload_bytes) return std::nullopt;
    if (auto incoming = Take(*head)) return incoming;
  }
  return std::nullopt;
}

// Moving the rest of the buffer at each frame would make a long batch quadratic.
void FrameReader::Compact() {
  if (read_ == buffer_.size()) {
    buffer_.clear();
    read_ = 0;
  } else if (read_ > kCompactAbove) {
    buffer_.erase(0, read_);
    read_ = 0;
  }
}

}  // namespace minichat::loadtest
