#include "loadtest/client/endpoint.h"

#include <cerrno>
#include <charconv>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace minichat::loadtest {

Result<Endpoint> ParseEndpoint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Endpoint endpoint;
  if (colon == std::string_view::npos) {
    return InvalidArgument("endpoint: no port in '" + std::string(text) + "'");
  }
  endpoint.host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  if (parsed.ec != std::errc{} || parsed.ptr != port.data() + port.size()) {
    return InvalidArgument("endpoint: bad port in '" + std::string(text) + "'");
  }
  return endpoint;
}

void Fd::Reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

Result<Fd> StartConnect(const Endpoint& endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  if (inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr) != 1) {
    return InvalidArgument("connect: not an IPv4 address: " + endpoint.host);
  }
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return Unavailable("socket: " + std::generic_category().message(errno));
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (connect(fd.get(), generic, sizeof address) != 0 && errno != EINPROGRESS) {
    return Unavailable("connect " + endpoint.ToString() + ": " +
                       std::generic_category().message(errno));
  }
  return fd;
}

Status ConnectOutcome(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) return {};
  return Unavailable("connect: " + std::generic_category().message(error));
}

}  // namespace minichat::loadtest
