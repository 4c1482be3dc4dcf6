#include "tests/support/tcp_gate.h"

#include <algorithm>
#include <array>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/gate_pipe.h"
#include "tests/support/loopback_listener.h"

namespace minichat::test {
namespace {

using loadtest::Endpoint;
using loadtest::Fd;
using Clock = GatePipe::Clock;
using std::chrono::milliseconds;

constexpr std::size_t kToServer = 0;
constexpr std::size_t kToClient = 1;

std::size_t IndexOf(TcpGate::Direction direction) {
  return direction == TcpGate::Direction::kToServer ? kToServer : kToClient;
}

void Reset(Fd& fd) {
  const linger reset{1, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  fd.Reset();
}

}  // namespace

// The gate's thread and what it shares with the callers.
class TcpGate::Worker {
 public:
  explicit Worker(std::uint16_t* port)
      : listener_(SOCK_NONBLOCK), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    *port = listener_.endpoint().port;
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

  ~Worker() {
    thread_.request_stop();
    Wake();
    thread_.join();
  }

  // Runs `change` on the shared state, and lets the thread see it.
  template <class Change>
  void Do(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change(*this);
    }
    Wake();
  }

  void CutAllLocked() {
    for (Link& link : links_) CutLocked(link);
  }

  void HalfCloseLocked(std::size_t direction) {
    for (Link& link : links_) {
      link.pipes[direction].PassEnd(link.fds[direction == kToServer ? 1 : 0].get());
    }
  }

  Settings settings;

  GateCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  std::size_t open_connections() const {
    const std::lock_guard lock(mutex_);
    return links_.size();
  }

 private:
  // One proxied connection. fds[0] is the client's socket, fds[1] the server's; pipes[d] carries
  // from fds[d] to fds[1 - d].
  struct Link {
    std::array<Fd, 2> fds;
    std::array<GatePipe, 2> pipes;
    std::string tail;      // the last bytes to the server: a pattern may be cut in two
    bool swallow = false;  // the next reply is not passed on
    bool dead = false;
  };

  void Wake() {
    const std::uint64_t one = 1;
    // A full counter means that the thread will wake up anyway.
    [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
  }

  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> entries = Prepare();
      poll(entries.data(), entries.size(), PollTimeout());
      std::uint64_t ignored = 0;
      while (read(wake_.get(), &ignored, sizeof ignored) > 0) {
      }
      const std::lock_guard lock(mutex_);
      if ((entries[1].revents & POLLIN) != 0) AcceptLocked();
      for (Link& link : links_) ServeLocked(link);
      std::erase_if(links_, [](const Link& link) { return link.dead; });
    }
  }

  std::vector<pollfd> Prepare() {
    const std::lock_guard lock(mutex_);
    std::vector<pollfd> entries{{wake_.get(), POLLIN, 0}, {listener_.fd().get(), POLLIN, 0}};
    const Clock::time_point now = Clock::now();
    for (const Link& link : links_) {
      for (std::size_t d = 0; d < 2; ++d) {
        const GatePipe& back = link.pipes[1 - d];
        short events = 0;
        if (link.pipes[d].WantsRead() && !settings.stall[d]) events |= POLLIN;
        if (back.WantsWrite(now) && !settings.stall[1 - d]) events |= POLLOUT;
        // With no events poll() would still report a hang-up, again and again.
        if (events != 0) entries.push_back({link.fds[d].get(), events, 0});
      }
    }
    return entries;
  }

  // Until the first delayed chunk is due.
  int PollTimeout() {
    const std::lock_guard lock(mutex_);
    milliseconds wait{1'000};
    for (const Link& link : links_) {
      for (std::size_t d = 0; d < 2; ++d) {
        if (link.pipes[d].empty() || settings.stall[d]) continue;
        const auto left = std::chrono::ceil<milliseconds>(link.pipes[d].NextDue() - Clock::now());
        if (left.count() > 0) wait = std::min(wait, left);
      }
    }
    return static_cast<int>(wait.count());
  }

  void AcceptLocked() {
    Fd client = listener_.Accept(SOCK_NONBLOCK);
    if (!client.valid()) return;
    if (settings.refuse || !settings.target) {
      ++counts_.refused;
      return Reset(client);
    }
    auto server = loadtest::StartConnect(*settings.target);
    if (!server.ok()) {
      ++counts_.refused;
      return Reset(client);
    }
    ++counts_.accepted;
    Link& link = links_.emplace_back();
    link.fds[0] = std::move(client);
    link.fds[1] = std::move(server).value();
  }

  void ServeLocked(Link& link) {
    for (std::size_t d = 0; d < 2 && !link.dead; ++d) {
      if (settings.stall[d]) continue;
      GatePipe& pipe = link.pipes[d];
      bool alive = true;
      if (pipe.WantsRead()) {
        const std::string_view bytes = pipe.ReadFrom(link.fds[d].get(), settings.delay[d], &alive);
        if (d == kToServer) WatchLocked(link, bytes);
        if (d == kToClient && link.swallow && (!bytes.empty() || !alive)) {
          ++counts_.swallowed_replies;
          return CutLocked(link);
        }
      }
      std::uint64_t& count = d == kToServer ? counts_.bytes_to_server : counts_.bytes_to_client;
      alive = alive && pipe.WriteTo(link.fds[1 - d].get(), Clock::now(), &count);
      if (!alive) return EndLocked(link);
      if (pipe.MustPassEnd()) pipe.PassEnd(link.fds[1 - d].get());
    }
    const auto over = [](const GatePipe& pipe) { return !pipe.WantsRead() && pipe.empty(); };
    if (over(link.pipes[0]) && over(link.pipes[1])) EndLocked(link);
  }

  void WatchLocked(Link& link, std::string_view bytes) {
    if (settings.cut_times == 0 || bytes.empty()) return;
    const std::string seen = link.tail + std::string(bytes);
    if (seen.find(settings.cut_after) == std::string::npos) {
      const std::size_t keep = std::min(seen.size(), settings.cut_after.size() - 1);
      link.tail = seen.substr(seen.size() - keep);
      return;
    }
    link.tail.clear();
    link.swallow = true;
    --settings.cut_times;
  }

  void CutLocked(Link& link) {
    if (link.dead) return;
    ++counts_.cut;
    EndLocked(link);
  }

  void EndLocked(Link& link) {
    Reset(link.fds[0]);
    Reset(link.fds[1]);
    link.dead = true;
  }

  mutable std::mutex mutex_;  // guards all but the descriptors and the thread
  std::vector<Link> links_;
  GateCounts counts_;
  const LoopbackListener listener_;
  const Fd wake_;
  std::jthread thread_;
};

TcpGate::TcpGate() : worker_(std::make_unique<Worker>(&port_)) {}

TcpGate::TcpGate(const Endpoint& target) : TcpGate() {
  SetTarget(target);
}

TcpGate::~TcpGate() = default;

void TcpGate::SetTarget(const Endpoint& target) {
  worker_->Do([&](Worker& worker) { worker.settings.target = target; });
}

void TcpGate::Refuse(bool on) {
  worker_->Do([&](Worker& worker) { worker.settings.refuse = on; });
}

void TcpGate::Stall(Direction direction, bool on) {
  worker_->Do([&](Worker& worker) { worker.settings.stall[IndexOf(direction)] = on; });
}

void TcpGate::Delay(Direction direction, milliseconds by) {
  worker_->Do([&](Worker& worker) { worker.settings.delay[IndexOf(direction)] = by; });
}

void TcpGate::CutAll() {
  worker_->Do([](Worker& worker) { worker.CutAllLocked(); });
}

void TcpGate::HalfClose(Direction direction) {
  worker_->Do([&](Worker& worker) { worker.HalfCloseLocked(IndexOf(direction)); });
}

void TcpGate::Break() {
  worker_->Do([](Worker& worker) {
    worker.settings.refuse = true;
    worker.CutAllLocked();
  });
}

void TcpGate::Mend() {
  worker_->Do([](Worker& worker) {
    Settings mended;
    mended.target = worker.settings.target;
    worker.settings = mended;
  });
}

void TcpGate::CutAfter(const std::string& pattern, int times) {
  worker_->Do([&](Worker& worker) {
    worker.settings.cut_after = pattern;
    worker.settings.cut_times = times;
  });
}

GateCounts TcpGate::counts() const {
  return worker_->counts();
}

std::size_t TcpGate::open_connections() const {
  return worker_->open_connections();
}

}  // namespace minichat::test
