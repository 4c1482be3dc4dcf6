#pragma once

#include <cstddef>
#include <string_view>

namespace minichat {

// `text` or `data` of a message.
inline constexpr std::size_t kMaxBodyBytes = 4096;
inline constexpr std::size_t kMaxIdBytes = 64;

// Well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF) without U+0000.
bool IsCleanUtf8(std::string_view text);

// Room, user, cid, node name: 1 to 64 characters of A–Z a–z 0–9 . _ : @ -
bool IsId(std::string_view text);

}  // namespace minichat
