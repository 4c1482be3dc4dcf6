#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "tests/bench/group_run.h"

namespace minichat::bench {

// One line of text, formatted as by printf.
template <typename... Args>
std::string Line(const char* format, Args... args) {
  const int size = std::snprintf(nullptr, 0, format, args...);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::snprintf(text.data(), text.size() + 1, format, args...);
  return text + "\n";
}

// The results as a table for people, and as JSON with every sample.
std::string ToTable(const std::vector<GroupResult>& results);
std::string ToJson(const std::vector<GroupResult>& results);

}  // namespace minichat::bench
