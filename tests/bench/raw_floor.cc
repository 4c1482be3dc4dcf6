#include "tests/bench/raw_floor.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/epoll.h>
#include <sys/socket.h>

#include "tests/bench/cpu_clock.h"

namespace minichat::bench {
namespace {

using loadtest::Clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kStartLimit{5};
constexpr milliseconds kLead{50};  // the senders have their orders before the first send is due

std::string SenderProgram() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "floor-sender";
}

}  // namespace

// One connection that counts what it gets.
class RawFloor::Client final : public loadtest::FdHandler {
 public:
  Client(loadtest::ClientLoop& loop, loadtest::Fd fd) : loop_(loop), fd_(std::move(fd)) {
    loop_.Watch(fd_.get(), EPOLLIN, this);
  }
  ~Client() override { loop_.Unwatch(fd_.get()); }
  Client(const Client&) = delete;

  void OnReady(std::uint32_t /*epoll_events*/) override {
    std::array<char, 64 << 10> bytes;
    const ssize_t got = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (got > 0) received_ += static_cast<std::size_t>(got);
    if (got == 0) loop_.Unwatch(fd_.get());
  }
  bool Order(const std::string& line) {
    return send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(line.size());
  }
  std::size_t received() const { return received_; }

 private:
  loadtest::ClientLoop& loop_;
  const loadtest::Fd fd_;
  std::size_t received_ = 0;
};

Result<std::unique_ptr<RawFloor>> RawFloor::Start(loadtest::ClientLoop& loop,
                                                  FloorOptions options) {
  std::unique_ptr<RawFloor> floor(new RawFloor(loop, options));
  if (const Status connected = floor->Connect(); !connected.ok()) return connected;
  return floor;
}

RawFloor::RawFloor(loadtest::ClientLoop& loop, FloorOptions options)
    : loop_(loop), options_(options) {}

RawFloor::~RawFloor() = default;

Status RawFloor::Connect() {
  for (std::size_t sender = 0; sender < options_.senders; ++sender) {
    const std::string port_file = dir_.path() / ("port" + std::to_string(sender));
    const std::size_t clients = options_.clients / options_.senders;
    senders_.push_back(std::make_unique<test::ScratchProcess>(
        std::vector<std::string>{SenderProgram(), port_file, std::to_string(clients),
                                 std::to_string(options_.bytes)},
        dir_.path() / "log"));
    if (const Status s = ConnectTo(sender, port_file); !s.ok()) return s;
  }
  return {};
}

Status RawFloor::ConnectTo(std::size_t sender, const std::string& port_file) {
  const auto listening = [&] { return std::filesystem::exists(port_file); };
  if (!test::WaitFor(listening, kStartLimit)) {
    return Unavailable("floor-sender does not start:\n" + test::ReadTail(dir_.path() / "log"));
  }
  loadtest::Endpoint endpoint;
  endpoint.host = "127.0.0.1";
  std::ifstream(port_file) >> endpoint.port;
  while (clients_.size() < (sender + 1) * (options_.clients / options_.senders)) {
    Result<loadtest::Fd> fd = loadtest::StartConnect(endpoint);
    if (!fd.ok()) return fd.status();
    clients_.push_back(std::make_unique<Client>(loop_, std::move(fd).value()));
  }
  return {};
}

Result<RawFloor::Sample> RawFloor::Run(double rate, milliseconds duration) {
  const nanoseconds start = (Clock::now() + kLead).time_since_epoch();
  const auto interval = static_cast<long long>(1e9 / rate);
  const auto count =
      static_cast<std::size_t>(rate * std::chrono::duration<double>(duration).count());
  const std::string order = std::to_string(start.count()) + " " + std::to_string(interval) + " " +
                            std::to_string(count) + "\n";
  const double before = CpuOfSenders();
  const std::size_t wanted = BytesReceived() + count * clients_.size() * options_.bytes;
  for (std::size_t sender = 0; sender < senders_.size(); ++sender) {
    if (!clients_[sender * clients_.size() / senders_.size()]->Order(order))
      return Unavailable("floor-sender takes no orders");
  }
  const auto all = [&] { return BytesReceived() >= wanted; };
  if (!loop_.RunUntil(all, duration + kStartLimit, milliseconds(10)))
    return DeadlineExceeded("floor-sender: not everything arrived");
  Sample sample;
  sample.deliveries = count * clients_.size();
  sample.cpu_us = (CpuOfSenders() - before) * 1e6 / static_cast<double>(sample.deliveries);
  return sample;
}

double RawFloor::CpuOfSenders() const {
  double sum = 0;
  for (const auto& sender : senders_) sum += CpuSeconds(sender->pid());
  return sum;
}

std::size_t RawFloor::BytesReceived() const {
  std::size_t sum = 0;
  for (const auto& client : clients_) sum += client->received();
  return sum;
}

}  // namespace minichat::bench
