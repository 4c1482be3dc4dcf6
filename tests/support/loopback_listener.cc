#include "tests/support/loopback_listener.h"

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <netinet/in.h>
#include <sys/socket.h>

namespace minichat::test {

LoopbackListener::LoopbackListener(int flags)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (!fd_.valid() || bind(fd_.get(), generic, size) != 0 || listen(fd_.get(), 128) != 0 ||
      getsockname(fd_.get(), generic, &size) != 0) {
    throw std::runtime_error("listen: " + std::generic_category().message(errno));
  }
  endpoint_.port = ntohs(address.sin_port);
}

loadtest::Fd LoopbackListener::Accept(int flags) const {
  return loadtest::Fd(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | flags));
}

}  // namespace minichat::test
