#pragma once

#include <string>
#include <vector>

namespace minichat::report {

// As printf; at most 500 characters.
__attribute__((format(printf, 1, 2))) std::string Text(const char* format, ...);

// "12 µs", "0.35 ms", "23 ms", "1.005 s": as many digits as a reader needs. "none" when not finite.
std::string Millis(double ms);
// "1.2 ms to 16 ms" over all samples; "none" without any.
std::string MillisRange(const std::vector<double>& samples_ms);

double Smallest(const std::vector<double>& samples);  // not a number without samples
double Largest(const std::vector<double>& samples);   // likewise
// The smallest sample that `share` (0…1) of all are not above; not a number without samples.
double Percentile(std::vector<double> samples, double share);

}  // namespace minichat::report
