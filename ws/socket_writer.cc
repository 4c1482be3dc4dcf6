#include "ws/socket_writer.h"

#include <cerrno>

#include <sys/socket.h>

namespace minichat::ws {

std::optional<std::size_t> SocketWriter::Write(std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());  // the call only reads it
  message.msg_iovlen = parts.size();
  ssize_t written = -1;
  do {
    written = sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (written < 0 && errno == EINTR);
  if (written >= 0) return static_cast<std::size_t>(written);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
  return std::nullopt;
}

}  // namespace minichat::ws
