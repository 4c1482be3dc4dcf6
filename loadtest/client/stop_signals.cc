#include "loadtest/client/stop_signals.h"

#include <csignal>

namespace minichat::loadtest {
namespace {

constexpr int kEnough = 3;
volatile std::sig_atomic_t stop_signals = 0;

void OnSignal(int number) {
  stop_signals = stop_signals + 1;
  if (stop_signals < kEnough) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void CountStopSignals() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int StopSignals() {
  return stop_signals;
}

}  // namespace minichat::loadtest
