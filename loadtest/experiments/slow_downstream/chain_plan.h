#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

namespace minichat::lab {

enum class Condition {
  kNoDeadline,     // orders have no deadline anywhere
  kPropagated,     // the caller gives one, each service passes on what is left of it
  kNotPropagated,  // the caller gives one, no service passes it on
  kAsync,          // no deadline, and B's handlers wait on no thread
};

inline constexpr std::array<Condition, 4> kConditions{
    Condition::kNoDeadline, Condition::kPropagated, Condition::kNotPropagated, Condition::kAsync};

const char* NameOf(Condition condition);   // for files
const char* TitleOf(Condition condition);  // for readers

// The figures of the experiment: A passes orders on to B, B to C, and C is slow.
struct ChainPlan {
  std::chrono::milliseconds work{5'000};  // of C, per order
  std::chrono::milliseconds slice{20};
  std::chrono::milliseconds budget{1'000};    // of an order, where there is one
  std::chrono::milliseconds margin{50};       // less at each service
  std::chrono::milliseconds ping_every{200};  // to B, after the orders
  std::size_t orders = 8;                     // at once
  std::size_t pings = 10;
  std::size_t b_workers = 4;
  std::size_t other_workers = 16;
  std::size_t rounds = 3;  // each runs every condition once

  static ChainPlan Full() { return {}; }
  // A fifth of the waiting, once.
  static ChainPlan Quick();

  // The bounds that the checks use, in milliseconds.
  double LeastPingWithoutDeadline() const;  // 7.5 s
  double LongestWaitingPing() const;        // 0.8 s
  double LeastOnwardWork() const;           // 4.9 s
  // B's workers are free again after that, when deadlines are propagated.
  double WorkersFreeAt() const;
};

inline double InMillis(std::chrono::milliseconds duration) {
  return static_cast<double>(duration.count());
}

}  // namespace minichat::lab
