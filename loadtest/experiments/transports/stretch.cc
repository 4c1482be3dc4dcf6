#include "loadtest/experiments/transports/stretch.h"

#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "tests/bench/cpu_clock.h"

namespace minichat::transports {
namespace {

struct MachineTicks {
  double idle = 0;
  double all = 0;
};

// The first line of /proc/stat: user nice system idle iowait irq softirq steal.
MachineTicks ReadMachine() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  stat >> cpu;
  MachineTicks ticks;
  for (int column = 0; column < 8; ++column) {
    double value = 0;
    stat >> value;
    ticks.all += value;
    if (column == 3 || column == 4) ticks.idle += value;
  }
  return ticks;
}

struct Moment {
  explicit Moment(pid_t peer)
      : time(std::chrono::steady_clock::now()),
        own(bench::CpuSeconds(getpid())),
        other(bench::CpuSeconds(peer)),
        machine(ReadMachine()) {}

  std::chrono::steady_clock::time_point time;
  double own;
  double other;
  MachineTicks machine;
};

Usage Between(const Moment& from, const Moment& to) {
  const double ticks = to.machine.all - from.machine.all;
  return {std::chrono::duration<double>(to.time - from.time).count(), to.own - from.own,
          to.other - from.other, ticks > 0 ? 1 - (to.machine.idle - from.machine.idle) / ticks : 0};
}

}  // namespace

Usage MeasureStretch(const Times& times, pid_t peer, const std::function<void()>& begin,
                     const std::function<void()>& end) {
  std::this_thread::sleep_for(times.warm_up);
  const Moment from(peer);
  begin();
  std::this_thread::sleep_for(times.measured);
  end();
  return Between(from, Moment(peer));
}

}  // namespace minichat::transports
