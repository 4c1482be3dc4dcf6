#include "loadtest/smoke/mode_result.h"

#include <algorithm>

namespace minichat::loadtest {
namespace {

void Expect(bool holds, const std::string& difference, ModeResult* result) {
  if (!holds) result->differences.push_back(difference);
}

std::string CountOf(const char* what, std::size_t seen, std::size_t expected) {
  return std::string(what) + ": " + std::to_string(seen) + " instead of " +
         std::to_string(expected);
}

}  // namespace

void JudgeFigures(ModeResult* r) {
  const Received& got = r->received;
  Expect(r->acked == r->sent, CountOf("acknowledged", r->acked, r->sent), r);
  for (const auto& [code, count] : r->errors) {
    Expect(false, "answered " + code + ": " + std::to_string(count) + " sends", r);
  }
  Expect(got.got == got.expected, CountOf("delivered", got.got, got.expected), r);
  Expect(got.lost == 0, CountOf("lost", got.lost, 0), r);
  Expect(got.twice == 0, CountOf("delivered twice", got.twice, 0), r);
  Expect(got.out_of_order == 0, CountOf("delivered out of order", got.out_of_order, 0), r);
  Expect(got.strange == 0, CountOf("delivered without an ack", got.strange, 0), r);
  Expect(r->relay_calls == r->relay_calls_computed,
         CountOf("relay calls", r->relay_calls, r->relay_calls_computed), r);
  Expect(r->relay_calls_failed == 0, CountOf("failed relay calls", r->relay_calls_failed, 0), r);
  Expect(r->relay_calls_other == 0, CountOf("relay calls in another mode", r->relay_calls_other, 0),
         r);
  Expect(r->pulls == 0,
         CountOf("pulls by hole or sweep", r->pulls, 0) +
             " (relays that came late were repaired; on a busy machine try again)",
         r);
  Expect(r->log_increase == static_cast<std::int64_t>(r->acked),
         CountOf("records in Kafka", static_cast<std::size_t>(r->log_increase), r->acked), r);
  Expect(r->rows == r->acked, CountOf("rows in Postgres", r->rows, r->acked), r);
  Expect(r->closed_sessions == 0, CountOf("sessions that ended early", r->closed_sessions, 0), r);
  Expect(
      r->pairs == r->pairs_expected,
      CountOf("pairs of nodes tried (more --messages or --members)", r->pairs, r->pairs_expected),
      r);
}

bool SmokeResult::ok() const {
  return std::all_of(modes.begin(), modes.end(),
                     [](const ModeResult& mode) { return mode.differences.empty(); });
}

}  // namespace minichat::loadtest
