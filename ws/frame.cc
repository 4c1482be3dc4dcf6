#include "ws/frame.h"

#include <cstddef>
#include <cstdint>

namespace minichat::ws {
namespace {

constexpr char kText = '\x81';  // the last fragment of a text message
constexpr char kClose = '\x88';
constexpr char kPing = '\x89';
constexpr std::size_t kMaxHeader = 10;
constexpr std::size_t kSmall = 125;
constexpr std::size_t kMedium = 0xffff;
constexpr char kMediumMark = 126;
constexpr char kLargeMark = 127;

void AppendBigEndian(std::size_t value, std::size_t bytes, std::string* out) {
  for (std::size_t i = bytes; i-- > 0;) out->push_back(static_cast<char>(value >> (8 * i)));
}

void AppendHeader(char first, std::size_t payload, std::string* out) {
  out->push_back(first);
  if (payload <= kSmall) {
    out->push_back(static_cast<char>(payload));
  } else if (payload <= kMedium) {
    out->push_back(kMediumMark);
    AppendBigEndian(payload, 2, out);
  } else {
    out->push_back(kLargeMark);
    AppendBigEndian(payload, 8, out);
  }
}

}  // namespace

std::string TextFrame(std::string_view payload) {
  std::string frame;
  frame.reserve(kMaxHeader + payload.size());
  AppendHeader(kText, payload.size(), &frame);
  frame.append(payload);
  return frame;
}

Frame MakeTextFrame(std::string_view payload) {
  return std::make_shared<const std::string>(TextFrame(payload));
}

std::string PingFrame() {
  return {kPing, '\0'};
}

bool IsTextFrame(std::string_view bytes) {
  if (bytes.size() < 2 || bytes[0] != kText) return false;
  const std::size_t header = bytes.size() <= 2 + kSmall ? 2 : bytes.size() <= 4 + kMedium ? 4 : 10;
  if (bytes.size() < header) return false;
  std::string expected;  // at most 10 bytes: no allocation
  AppendHeader(kText, bytes.size() - header, &expected);
  return bytes.substr(0, header) == expected;
}

bool IsCloseFrame(std::string_view bytes) {
  return !bytes.empty() && bytes[0] == kClose;
}

std::uint16_t CloseCodeOf(std::string_view close_frame) {
  constexpr std::uint16_t kNoCode = 1005;
  if (close_frame.size() < 4) return kNoCode;
  const auto high = static_cast<unsigned char>(close_frame[2]);
  const auto low = static_cast<unsigned char>(close_frame[3]);
  return static_cast<std::uint16_t>(high << 8 | low);
}

}  // namespace minichat::ws
