#include "server/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace minichat {
namespace {

// Length of the sequence that starts with `lead`, and the range of its second byte, by table 3-7 of
// the Unicode standard; 0: no sequence starts so.
struct Sequence {
  std::size_t length;
  std::uint8_t second_min;
  std::uint8_t second_max;
};

Sequence SequenceOf(std::uint8_t lead) {
  if (lead >= 0x01 && lead <= 0x7f) return {1, 0, 0};
  if (lead >= 0xc2 && lead <= 0xdf) return {2, 0x80, 0xbf};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead >= 0xe1 && lead <= 0xef) return {3, 0x80, 0xbf};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead >= 0xf1 && lead <= 0xf3) return {4, 0x80, 0xbf};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

bool IsIdCharacter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == ':' || c == '@' || c == '-';
}

}  // namespace

bool IsCleanUtf8(std::string_view text) {
  std::size_t i = 0;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  while (i < text.size()) {
    const Sequence sequence = SequenceOf(byte(i));
    if (sequence.length == 0 || sequence.length > text.size() - i) return false;
    if (sequence.length > 1) {
      if (byte(i + 1) < sequence.second_min || byte(i + 1) > sequence.second_max) return false;
      for (std::size_t k = 2; k < sequence.length; ++k) {
        if ((byte(i + k) & 0xc0) != 0x80) return false;
      }
    }
    i += sequence.length;
  }
  return true;
}

bool IsId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes &&
         std::all_of(text.begin(), text.end(), IsIdCharacter);
}

}  // namespace minichat
