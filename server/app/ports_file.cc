#include "server/app/ports_file.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include <unistd.h>

namespace minichat::app {

Status WritePortsFile(const std::string& path, const std::string& node, const BoundPorts& ports) {
  const std::string unfinished = path + ".new";
  std::ofstream out(unfinished, std::ios::trunc);
  out << "{\"name\":\"" << node << "\",\"pid\":" << ::getpid() << ",\"client\":" << ports.client
      << ",\"admin\":" << ports.admin << ",\"relay\":" << ports.relay << "}\n";
  out.close();
  if (!out || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return Unavailable("ports file " + path + ": " + std::generic_category().message(errno));
  }
  return {};
}

}  // namespace minichat::app
