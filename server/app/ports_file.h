#pragma once

#include <cstdint>
#include <string>

#include "server/base/status.h"

namespace minichat::app {

// The ports that a node is bound to; 0: it has no such listener.
struct BoundPorts {
  std::uint16_t client = 0;
  std::uint16_t admin = 0;
  std::uint16_t relay = 0;
};

// Writes {"name":"n1","pid":1,"client":8080,"admin":9180,"relay":7101} so that a reader sees either
// no file or all of it.
Status WritePortsFile(const std::string& path, const std::string& node, const BoundPorts& ports);

}  // namespace minichat::app
