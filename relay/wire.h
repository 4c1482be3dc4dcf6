#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace minichat::relay::wire {

// Protobuf's encoding by hand, for what is sent so often that building a message object first, with
// a copy of each string, would show.

inline void AppendVarint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

inline std::size_t VarintSize(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// A field of type uint32, uint64, bool or enum.
inline void AppendNumber(int field, std::uint64_t value, std::string* out) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3, out);
  AppendVarint(value, out);
}

// Tag and length of a field of type string, bytes or message, whose content follows.
inline void AppendLength(int field, std::size_t length, std::string* out) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3 | 2, out);
  AppendVarint(length, out);
}

inline void AppendBytes(int field, std::string_view bytes, std::string* out) {
  AppendLength(field, bytes.size(), out);
  out->append(bytes);
}

}  // namespace minichat::relay::wire
