#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "loadtest/client/endpoint.h"

namespace minichat::loadtest {

// Values of command-line options, read strictly: all of the text, and within bounds.
// Errors: kInvalidArgument says what is allowed.

struct CountBounds {
  std::size_t least = 1;
  std::size_t most = 1;
};

Result<std::size_t> ReadCount(const std::string& text, CountBounds bounds);
// Messages a second, above 0, at most 1,000,000.
Result<double> ReadRate(const std::string& text);
// "120s", "2m", "500ms", "1.5h"; at most a day.
Result<std::chrono::milliseconds> ReadDuration(const std::string& text);
// "127.0.0.1:8081"
Result<Endpoint> ReadAddress(const std::string& text);
// "127.0.0.1:9201"; port 0: any free one. Loopback alone.
Result<Endpoint> ReadLoopbackAddress(const std::string& text);
// Part of room and user names and of cids.
Result<std::string> ReadLabel(const std::string& text);

}  // namespace minichat::loadtest
