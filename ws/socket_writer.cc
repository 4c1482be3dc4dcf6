#include "ws/socket_writer.h"

#include <cerrno>

#include <sys/socket.h>

namespace minichat::ws {

namespace {

constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;

// One part, as in a quiet room, is the common case: the kernel need not read a list of parts then.
ssize_t SendOnce(int socket, std::span<const iovec> parts) {
  if (parts.size() == 1) return send(socket, parts[0].iov_base, parts[0].iov_len, kFlags);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());  // the call only reads it
  message.msg_iovlen = parts.size();
  return sendmsg(socket, &message, kFlags);
}

}  // namespace

std::optional<std::size_t> SocketWriter::Write(std::span<const iovec> parts) {
  ssize_t written = -1;
  do {
    written = SendOnce(socket_.native_handle(), parts);
  } while (written < 0 && errno == EINTR);
  if (written >= 0) return static_cast<std::size_t>(written);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
  return std::nullopt;
}

}  // namespace minichat::ws
