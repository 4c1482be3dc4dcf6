// What one relayed recipient costs in CPU time, by relay mode, at the same load.
//
// Two processes on loopback, as two nodes: this one sends, a second one (the same program)
// receives. The modes take turns, so that a noisy machine is noisy to both; the median of the
// rounds counts.
//
//   relay_bench [--recipients 50] [--rate 100] [--seconds 2] [--rounds 3]

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/relay_nodes.h"

extern char** environ;

namespace minichat::relay {
namespace {

struct BenchOptions {
  std::size_t recipients = 50;  // of each message on the other node
  std::size_t rate = 100;       // messages per second
  std::size_t seconds = 2;      // per round and mode
  std::size_t rounds = 3;
};

struct Round {
  double sender_us = 0;  // CPU per recipient
  double receiver_us = 0;
  std::size_t queued = 0;
  std::size_t expected = 0;
};

class TakesAll final : public core::RelayReceiver {
 public:
  std::vector<core::RelayResult> OnRelayed(
      const core::Incarnation&, core::EventPtr,
      const std::vector<core::SessionId>& recipients) override {
    return Results(recipients.size(), core::RelayResult::kQueued);
  }
  void OnTyping(const core::Incarnation&, const core::Typing&) override {}
};

// The receiving process: tells its port, and ends with its standard input.
int Serve() {
  CoreThread core;
  MetricsRegistry metrics;
  TakesAll receiver;
  RelayServerOptions options;
  options.cluster_secret = kTestSecret;
  RelayServer server(options, core.scheduler, receiver, metrics);
  if (!server.Start().ok()) return 1;
  std::cout << server.port() << std::endl;
  std::cin.get();
  core.Run([&] { server.Shutdown(std::chrono::seconds(1)); });
  return 0;
}

class ReceivingProcess {
 public:
  explicit ReceivingProcess(const char* program) {
    std::array<int, 2> in{}, out{};
    CHECK(pipe(in.data()) == 0 && pipe(out.data()) == 0);  // a bench without pipes can't run
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    for (const int fd : {in[0], in[1], out[0], out[1]}) {
      posix_spawn_file_actions_addclose(&actions, fd);
    }
    std::string name(program), serve("--serve");
    char* argv[] = {name.data(), serve.data(), nullptr};
    CHECK(posix_spawn(&pid_, program, &actions, nullptr, argv, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    stdin_ = in[1];
    FILE* lines = fdopen(out[0], "r");
    CHECK(lines != nullptr && std::fscanf(lines, "%d", &port_) == 1);
    std::fclose(lines);
  }
  ~ReceivingProcess() {
    close(stdin_);
    waitpid(pid_, nullptr, 0);
  }

  int port() const { return port_; }
  clockid_t cpu_clock() const {
    clockid_t clock{};
    CHECK(clock_getcpuclockid(pid_, &clock) == 0);  // it is our child and lives
    return clock;
  }

 private:
  pid_t pid_ = 0;
  int stdin_ = -1;
  int port_ = 0;
};

double Microseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Sends at an even rate from timers, whatever comes back: all modes get the same load.
class Load {
 public:
  Load(TestSender& sender, const core::NodeEntry& to, const BenchOptions& options)
      : sender_(sender),
        to_(to),
        sessions_(Sessions(options.recipients, "session-00000000-0000-")),
        period_(std::chrono::nanoseconds(std::chrono::seconds(1)) / options.rate),
        left_(options.rate * options.seconds) {}

  // How many recipients were reached.
  std::size_t Run() {
    sender_.core.Run([this] {
      next_ = sender_.core.scheduler.Now();
      Send();
    });
    return reached_.get_future().get();
  }

 private:
  void Send() {
    --left_;
    ++open_;
    sender_.relay->Deliver(to_.name, to_.incarnation, MakeEvent(), sessions_,
                           Deadline::After(sender_.core.scheduler, std::chrono::seconds(5)),
                           [this](Results results) {
                             --open_;
                             queued_ += static_cast<std::size_t>(std::count(
                                 results.begin(), results.end(), core::RelayResult::kQueued));
                             if (left_ == 0 && open_ == 0) reached_.set_value(queued_);
                           });
    if (left_ == 0) return;
    next_ += period_;
    const TimePoint now = sender_.core.scheduler.Now();
    sender_.core.scheduler.RunAfter(Deadline::At(next_).Remaining(now), [this] { Send(); });
  }

  TestSender& sender_;
  const core::NodeEntry to_;
  const std::vector<core::SessionId> sessions_;
  const Duration period_;
  TimePoint next_{};
  std::size_t left_;
  std::size_t open_ = 0;
  std::size_t queued_ = 0;
  std::promise<std::size_t> reached_;
};

Round Measure(TestSender& sender, const core::NodeEntry& to, const ReceivingProcess& receiver,
              const BenchOptions& options, RelayMode mode) {
  sender.core.Run([&] { sender.relay->SetConfiguredMode(mode); });
  Load load(sender, to, options);
  const double sender_before = Microseconds(CLOCK_PROCESS_CPUTIME_ID);
  const double receiver_before = Microseconds(receiver.cpu_clock());
  Round round;
  round.expected = options.recipients * options.rate * options.seconds;
  round.queued = load.Run();
  const auto recipients = static_cast<double>(round.expected);
  round.sender_us = (Microseconds(CLOCK_PROCESS_CPUTIME_ID) - sender_before) / recipients;
  round.receiver_us = (Microseconds(receiver.cpu_clock()) - receiver_before) / recipients;
  return round;
}

Round Median(std::vector<Round> rounds) {
  std::sort(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) {
    return a.sender_us + a.receiver_us < b.sender_us + b.receiver_us;
  });
  return rounds[rounds.size() / 2];
}

void Print(const BenchOptions& options, const std::map<RelayMode, Round>& medians) {
  std::printf("%zu messages/s, %zu recipients each; CPU us per recipient, median of %zu rounds\n",
              options.rate, options.recipients, options.rounds);
  std::printf("%-8s %10s %10s %10s\n", "mode", "sender", "receiver", "total");
  std::string json;
  for (const auto& [mode, round] : medians) {
    const std::string name(ToString(mode));
    const double total = round.sender_us + round.receiver_us;
    std::printf("%-8s %10.2f %10.2f %10.2f\n", name.c_str(), round.sender_us, round.receiver_us,
                total);
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "%s\"%s\":{\"sender_us\":%.3f,\"receiver_us\":%.3f,\"total_us\":%.3f}",
                  json.empty() ? "" : ",", name.c_str(), round.sender_us, round.receiver_us, total);
    json += text.data();
  }
  std::printf("{\"bench\":\"relay\",\"rate\":%zu,\"recipients\":%zu,\"modes\":{%s}}\n",
              options.rate, options.recipients, json.c_str());
}

int Bench(const char* program, const BenchOptions& options) {
  const ReceivingProcess receiver(program);
  GrpcRelayOptions relay_options;  // the node's own bounds must not cut the work short
  relay_options.longest_call = std::chrono::seconds(4);
  relay_options.max_calls_per_peer = 100'000;
  TestSender sender(relay_options);
  const core::NodeEntry to{core::NodeName("n2"), core::Incarnation("n2-1"),
                           "127.0.0.1:" + std::to_string(receiver.port())};
  sender.SetPeers({to});
  std::map<RelayMode, std::vector<Round>> rounds;
  for (std::size_t i = 0; i <= options.rounds; ++i) {
    for (const RelayMode mode : kRelayModes) {
      const Round round = Measure(sender, to, receiver, options, mode);
      if (round.queued != round.expected) {
        std::fprintf(stderr, "%zu of %zu recipients were not reached: no result\n",
                     round.expected - round.queued, round.expected);
        return 1;
      }
      if (i > 0) rounds[mode].push_back(round);  // the first one warms up
    }
  }
  std::map<RelayMode, Round> medians;
  for (const auto& [mode, all] : rounds) medians[mode] = Median(all);
  Print(options, medians);
  return 0;
}

int Main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--serve") return Serve();
  BenchOptions options;
  const std::map<std::string, std::size_t*> numbers = {{"--recipients", &options.recipients},
                                                       {"--rate", &options.rate},
                                                       {"--seconds", &options.seconds},
                                                       {"--rounds", &options.rounds}};
  for (int i = 1; i < argc; i += 2) {
    const auto number = numbers.find(argv[i]);
    const long value = i + 1 < argc ? std::strtol(argv[i + 1], nullptr, 10) : 0;
    if (number == numbers.end() || value <= 0) {
      std::fprintf(stderr,
                   "usage: relay_bench [--recipients N] [--rate N] [--seconds N] [--rounds N]\n");
      return 2;
    }
    *number->second = static_cast<std::size_t>(value);
  }
  return Bench("/proc/self/exe", options);
}

}  // namespace
}  // namespace minichat::relay

int main(int argc, char** argv) {
  return minichat::relay::Main(argc, argv);
}
