#include "loadtest/report/plain_text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

namespace minichat::report {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::string Text(const char* format, ...) {
  char text[500];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

std::string Millis(double ms) {
  if (!std::isfinite(ms)) return "none";
  if (ms >= 10'000) return Text("%.1f s", ms / 1e3);
  if (ms >= 1'000) return Text("%.3f s", ms / 1e3);
  if (ms >= 10) return Text("%.0f ms", ms);
  if (ms >= 1) return Text("%.1f ms", ms);
  if (ms >= 0.1) return Text("%.2g ms", ms);
  if (ms >= 0.001) return Text("%.2g µs", ms * 1e3);
  return Text("%.0f ns", ms * 1e6);
}

std::string MillisRange(const std::vector<double>& samples_ms) {
  if (samples_ms.empty()) return "none";
  const std::string least = Millis(Smallest(samples_ms));
  const std::string most = Millis(Largest(samples_ms));
  return least == most ? least : least + " to " + most;
}

double Smallest(const std::vector<double>& samples) {
  return samples.empty() ? kNone : *std::min_element(samples.begin(), samples.end());
}

double Largest(const std::vector<double>& samples) {
  return samples.empty() ? kNone : *std::max_element(samples.begin(), samples.end());
}

double Percentile(std::vector<double> samples, double share) {
  if (samples.empty()) return kNone;
  const double rank = std::ceil(share * static_cast<double>(samples.size()));
  const auto index = std::min(samples.size(), static_cast<std::size_t>(std::max(rank, 1.0))) - 1;
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

}  // namespace minichat::report
