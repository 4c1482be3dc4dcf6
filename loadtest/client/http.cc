#include "loadtest/client/http.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <poll.h>
#include <sys/socket.h>

#include "loadtest/client/client_loop.h"
#include "loadtest/client/frame_codec.h"

namespace minichat::loadtest {
namespace {

std::string Serialize(const Endpoint& endpoint, const HttpCall& call) {
  std::string text = call.method + " " + call.path + " HTTP/1.1\r\nHost: " + endpoint.ToString();
  text += "\r\nConnection: close\r\nContent-Length: " + std::to_string(call.body.size());
  if (!call.body.empty()) text += "\r\nContent-Type: application/json";
  if (!call.bearer.empty()) text += "\r\nAuthorization: Bearer " + call.bearer;
  return text + "\r\n\r\n" + call.body;
}

// One request's socket and the time that is left for it.
class Exchange {
 public:
  Exchange(Fd fd, Clock::time_point end) : fd_(std::move(fd)), end_(end) {}

  Status Connect() {
    if (!Wait(POLLOUT)) return Late("connect");
    return ConnectOutcome(fd_.get());
  }

  Status Write(std::string_view text) {
    while (!text.empty()) {
      if (!Wait(POLLOUT)) return Late("write");
      const ssize_t sent = send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) return Unavailable(std::generic_category().message(errno));
      if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
  }

  Result<HttpAnswer> Read() {
    std::string input;
    for (;;) {
      const auto head = ParseResponseHead(input);
      const bool whole =
          head && head->content_length && input.size() >= head->bytes + *head->content_length;
      if (whole) return HttpAnswer{head->status, input.substr(head->bytes, *head->content_length)};
      if (!Wait(POLLIN)) return Late("read");
      std::array<char, 64 << 10> bytes;
      const ssize_t got = recv(fd_.get(), bytes.data(), bytes.size(), 0);
      if (got < 0 && errno == EAGAIN) continue;
      if (got < 0) return Unavailable(std::generic_category().message(errno));
      if (got > 0) {
        input.append(bytes.data(), static_cast<std::size_t>(got));
      } else if (head && !head->content_length) {
        return HttpAnswer{head->status, input.substr(head->bytes)};
      } else {
        return Unavailable("http: the connection ended early");
      }
    }
  }

 private:
  bool Wait(short events) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    pollfd entry{fd_.get(), events, 0};
    return left > 0 && poll(&entry, 1, static_cast<int>(left)) > 0;
  }
  static Status Late(const char* what) {
    return Unavailable(std::string("http: no time left to ") + what);
  }

  Fd fd_;
  const Clock::time_point end_;
};

}  // namespace

Result<HttpAnswer> CallHttp(const Endpoint& endpoint, const HttpCall& call,
                            std::chrono::milliseconds limit) {
  Result<Fd> fd = StartConnect(endpoint);
  if (!fd.ok()) return fd.status();
  Exchange exchange(std::move(fd).value(), Clock::now() + limit);
  if (const Status status = exchange.Connect(); !status.ok()) return status;
  if (const Status status = exchange.Write(Serialize(endpoint, call)); !status.ok()) return status;
  return exchange.Read();
}

}  // namespace minichat::loadtest
