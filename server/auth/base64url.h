#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace minichat::auth {

// Base64 with the alphabet for URLs and without padding (RFC 7515, appendix C).
std::string EncodeBase64Url(std::string_view bytes);
// Nothing when `text` is not exactly what EncodeBase64Url() makes of some bytes.
std::optional<std::string> DecodeBase64Url(std::string_view text);

}  // namespace minichat::auth
