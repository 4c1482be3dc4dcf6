#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <sys/uio.h>

namespace minichat::ws {

// Where an OutboundPath's bytes go.
class Writer {
 public:
  virtual ~Writer() = default;

  // Takes as many of the bytes, in order, as it can without waiting, and says how many. Fewer than
  // were given: it takes no more for now. None: the connection is broken.
  virtual std::optional<std::size_t> Write(std::span<const iovec> parts) = 0;
};

}  // namespace minichat::ws
