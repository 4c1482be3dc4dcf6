#include "loadtest/load/load_series.h"

#include <algorithm>
#include <cmath>

#include <time.h>

namespace minichat::loadtest {
namespace {

constexpr double kShareNeeds = 0.5;  // seconds: the share of a shorter time says nothing

double SecondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

double OwnCpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

LoadSeries::LoadSeries(Clock::time_point start, std::size_t keep)
    : start_(start), keep_(keep), begun_(start) {}

void LoadSeries::Received(std::chrono::nanoseconds latency) {
  ++current_.received;
  latency_.Add(latency);
}

bool LoadSeries::empty() const {
  return current_.sent + current_.acked + current_.received == 0;
}

const LoadSecond& LoadSeries::EndSecond(Clock::time_point now) {
  const double cpu = OwnCpuSeconds();
  const double lasted = SecondsBetween(begun_, now);
  current_.second = static_cast<std::size_t>(std::lround(SecondsBetween(start_, begun_)));
  current_.p50_ms = latency_.AtMs(0.50);
  current_.p95_ms = latency_.AtMs(0.95);
  current_.max_ms = latency_.AtMs(1);
  current_.cpu_share = lasted > 0 ? (cpu - cpu_begun_) / lasted : 0;
  if (lasted >= kShareNeeds) peak_cpu_share_ = std::max(peak_cpu_share_, current_.cpu_share);
  if (seconds_.size() == keep_) seconds_.erase(seconds_.begin());
  seconds_.push_back(current_);
  current_ = {};
  latency_ = {};
  begun_ = now;
  cpu_begun_ = cpu;
  return seconds_.back();
}

}  // namespace minichat::loadtest
