#include "tests/support/lying_proxy.h"

#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "loadtest/client/client_loop.h"
#include "loadtest/client/frame_codec.h"
#include "tests/support/loopback_listener.h"

namespace minichat::test {
namespace {

using loadtest::ClientLoop;
using loadtest::Fd;

constexpr std::string_view kEvent = R"({"op":"message")";

// As a server frames a whole text: no mask.
std::string FrameOf(loadtest::Opcode opcode, std::string_view payload) {
  std::string frame(1, static_cast<char>(0x80 | static_cast<int>(opcode)));
  const std::size_t size = payload.size();
  if (size < 126) {
    frame.push_back(static_cast<char>(size));
  } else {
    const bool large = size > 0xFFFF;
    frame.push_back(large ? 127 : 126);
    for (int shift = large ? 56 : 8; shift >= 0; shift -= 8) {
      frame.push_back(static_cast<char>(size >> shift));
    }
  }
  return frame.append(payload);
}

void SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd writable{fd, POLLOUT, 0};
      poll(&writable, 1, 1'000);
    } else {
      return;  // the other side is gone; reading from it will tell
    }
  }
}

// Calls back when a descriptor has something to read.
class Readable final : public loadtest::FdHandler {
 public:
  Readable(ClientLoop& loop, Fd fd, std::function<void()> work)
      : loop_(loop), fd_(std::move(fd)), work_(std::move(work)) {
    loop_.Watch(fd_.get(), EPOLLIN, this);
  }
  ~Readable() override { Close(); }
  Readable(const Readable&) = delete;

  int fd() const { return fd_.get(); }
  void Close() {
    if (fd_.valid()) loop_.Unwatch(fd_.get());
    fd_.Reset();
  }
  void OnReady(std::uint32_t /*events*/) override { work_(); }

 private:
  ClientLoop& loop_;
  Fd fd_;
  const std::function<void()> work_;
};

// The bytes that came; empty at the end of the connection.
std::string ReadSome(int fd, bool* ended) {
  std::array<char, 64 << 10> bytes;
  const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
  *ended = got == 0 || (got < 0 && errno != EAGAIN);
  return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
}

// Tells the one lie of a proxy.
class Liar {
 public:
  Liar(Lie lie, int nth, std::atomic<int>* told) : lie_(lie), nth_(nth), told_(told) {}

  // What goes out in place of `frame`. `held` is the connection's.
  std::string Pass(std::string frame, std::string_view payload, std::string* held) {
    if (!payload.starts_with(kEvent)) return frame;
    if (!held->empty()) {
      ++*told_;
      frame += *held;
      held->clear();
      return frame;
    }
    if (++events_ != nth_) return frame;
    if (lie_ == Lie::kMisplace) {
      *held = std::move(frame);
      return {};
    }
    if (lie_ != Lie::kNone) ++*told_;
    if (lie_ == Lie::kDrop) return {};
    return lie_ == Lie::kRepeat ? frame + frame : frame;
  }

 private:
  const Lie lie_;
  const int nth_;
  std::atomic<int>* const told_;
  int events_ = 0;
};

// One proxied connection: bytes to the node as they are, frames to the client through the liar.
class Link {
 public:
  Link(ClientLoop& loop, Fd client, Fd server, Liar& liar)
      : liar_(liar),
        client_(loop, std::move(client), [this] { ToServer(); }),
        server_(loop, std::move(server), [this] { ToClient(); }) {}

 private:
  void ToServer() {
    bool ended = false;
    SendAll(server_.fd(), ReadSome(client_.fd(), &ended));
    if (ended) Close();
  }

  void ToClient() {
    bool ended = false;
    std::string bytes = ReadSome(server_.fd(), &ended);
    if (!upgraded_) bytes = PassHead(bytes);
    reader_.Append(bytes);
    while (const auto incoming = reader_.Next()) {
      SendAll(client_.fd(),
              liar_.Pass(FrameOf(incoming->opcode, incoming->payload), incoming->payload, &held_));
    }
    if (ended) Close();
  }

  // What comes after the upgrade's answer.
  std::string PassHead(const std::string& bytes) {
    head_ += bytes;
    const auto head = loadtest::ParseResponseHead(head_);
    if (!head) return {};
    upgraded_ = true;
    SendAll(client_.fd(), std::string_view(head_).substr(0, head->bytes));
    return head_.substr(head->bytes);
  }

  void Close() {
    client_.Close();
    server_.Close();
  }

  Liar& liar_;
  bool upgraded_ = false;
  std::string head_;
  loadtest::FrameReader reader_;
  std::string held_;  // an event that was put behind the next
  Readable client_;
  Readable server_;
};

}  // namespace

class LyingProxy::Worker final : public loadtest::FdHandler {
 public:
  Worker(const loadtest::Endpoint& target, Liar liar) : target_(target), liar_(liar) {
    loop_.Watch(listener_.fd().get(), EPOLLIN, this);
  }
  ~Worker() override { loop_.Unwatch(listener_.fd().get()); }

  std::uint16_t port() const { return listener_.endpoint().port; }

  void Run(const std::stop_token& stop) {
    const auto stopped = [&stop] { return stop.stop_requested(); };
    while (!loop_.RunUntil(stopped, std::chrono::hours(1))) {
    }
  }

 private:
  void OnReady(std::uint32_t /*events*/) override {
    Fd client = listener_.Accept(SOCK_NONBLOCK);
    auto server = loadtest::StartConnect(target_);
    if (!client.valid() || !server.ok()) return;
    links_.push_back(
        std::make_unique<Link>(loop_, std::move(client), std::move(server).value(), liar_));
  }

  ClientLoop loop_;
  const loadtest::Endpoint target_;
  Liar liar_;
  std::vector<std::unique_ptr<Link>> links_;
  const LoopbackListener listener_{SOCK_NONBLOCK};
};

LyingProxy::LyingProxy(const loadtest::Endpoint& target, Lie lie, int nth) {
  worker_ = std::make_unique<Worker>(target, Liar(lie, nth, &lies_));
  port_ = worker_->port();
  thread_ = std::jthread([this](const std::stop_token& stop) { worker_->Run(stop); });
}

LyingProxy::~LyingProxy() {
  thread_.request_stop();
  thread_.join();
}

}  // namespace minichat::test
