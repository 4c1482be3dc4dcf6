#include "storage/postgres/array_text.h"

namespace minichat::postgres {

void ArrayText::Separate() {
  if (text_.size() > 1) text_ += ',';
}

void ArrayText::Add(std::string_view text) {
  Separate();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

void ArrayText::Add(std::int64_t number) {
  Separate();
  text_ += std::to_string(number);
}

void ArrayText::Add(std::optional<std::int64_t> number) {
  if (number) {
    Add(*number);
    return;
  }
  Separate();
  text_ += "NULL";
}

void ArrayText::AddBytes(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex = "\\x";
  hex.reserve(2 + 2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  Add(hex);
}

const std::string& ArrayText::Finish() {
  text_ += '}';
  return text_;
}

}  // namespace minichat::postgres
