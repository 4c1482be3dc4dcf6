#include "server/base/breaker.h"

#include <algorithm>

#include "server/base/check.h"

namespace minichat {

Breaker::Breaker(BreakerOptions options, Scheduler& scheduler)
    : options_(options), scheduler_(scheduler), wait_(options.first_wait) {
  CHECK(options_.probes > 0 && options_.failures_to_open > 0);  // else it would never open or close
}

Breaker::Ticket Breaker::Admit() {
  if (state_ == State::kOpen && scheduler_.Now() >= open_until_) Enter(State::kHalfOpen);
  Ticket ticket;
  if (state_ == State::kOpen) return ticket;
  if (state_ == State::kHalfOpen) {
    if (probes_admitted_ == options_.probes) return ticket;
    ++probes_admitted_;
  }
  ticket.round_ = round_;
  return ticket;
}

void Breaker::Record(Ticket ticket, Outcome outcome) {
  if (ticket.round_ != round_) return;
  if (state_ == State::kHalfOpen) {
    RecordProbe(outcome);
  } else if (outcome == Outcome::kSuccess) {
    failures_in_a_row_ = 0;
  } else if (outcome == Outcome::kFailure) {
    if (++failures_in_a_row_ == options_.failures_to_open) Open();
  }
}

void Breaker::RecordProbe(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAbandoned:
      --probes_admitted_;
      return;
    case Outcome::kFailure:
      wait_ = std::min(wait_ * 2, options_.longest_wait);
      Open();
      return;
    case Outcome::kSuccess:
      if (++probes_succeeded_ < options_.probes) return;
      wait_ = options_.first_wait;
      Enter(State::kClosed);
  }
}

void Breaker::Open() {
  const auto half = wait_.count() / 2;
  const auto jitter =
      half > 0 ? static_cast<std::int64_t>(scheduler_.Random() % static_cast<std::uint64_t>(half))
               : 0;
  open_until_ = scheduler_.Now() + wait_ - Duration(jitter);
  Enter(State::kOpen);
}

void Breaker::Enter(State state) {
  state_ = state;
  ++round_;
  failures_in_a_row_ = 0;
  probes_admitted_ = 0;
  probes_succeeded_ = 0;
}

}  // namespace minichat
