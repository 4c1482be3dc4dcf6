#include "server/core/ids.h"

#include <algorithm>

namespace minichat::core {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsHyphenPlace(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

// Crockford's base 32: no letter that reads as a digit.
constexpr std::string_view kDigits32 = "0123456789abcdefghjkmnpqrstvwxyz";

void AppendBase32(std::uint64_t value, int digits, std::string* out) {
  for (int i = digits - 1; i >= 0; --i) *out += kDigits32[value >> (5 * i) & 31];
}

}  // namespace

SessionId MakeSessionId(std::uint64_t random, std::uint64_t count) {
  std::string id;
  AppendBase32(random, 13, &id);
  AppendBase32(count, 2, &id);
  return SessionId(std::move(id));
}

bool MessageId::FromBytes(std::string_view bytes, MessageId* id) {
  if (bytes.size() != kBytes) return false;
  std::copy(bytes.begin(), bytes.end(), id->bytes_.begin());
  return true;
}

bool MessageId::FromText(std::string_view text, MessageId* id) {
  if (text.size() != 36) return false;
  std::size_t digit = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsHyphenPlace(i)) {
      if (text[i] != '-') return false;
      continue;
    }
    const int value = DigitValue(text[i]);
    if (value < 0) return false;
    std::uint8_t& byte = id->bytes_[digit / 2];
    byte = static_cast<std::uint8_t>(digit % 2 == 0 ? value << 4 : byte | value);
    ++digit;
  }
  return true;
}

std::string MessageId::ToText() const {
  std::string text;
  text.reserve(36);
  for (const std::uint8_t byte : bytes_) {
    if (IsHyphenPlace(text.size())) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace minichat::core
