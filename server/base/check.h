#pragma once

namespace minichat {

// Prints file, line and condition to standard error and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace minichat

// For what cannot happen. The reason why it cannot is written beside the use.
#define CHECK(condition) \
  (static_cast<bool>(condition) ? void() : ::minichat::CheckFailed(__FILE__, __LINE__, #condition))
