#include "server/base/backoff.h"

#include <algorithm>

#include "server/base/check.h"

namespace minichat {

Backoff::Backoff(Scheduler& scheduler, BackoffOptions options)
    : scheduler_(scheduler), options_(options), base_(options.first) {
  CHECK(options_.first > Duration::zero() && options_.first <= options_.longest);  // own constants
}

Duration Backoff::Next() {
  const Duration most = base_;
  base_ = std::min(base_ * 2, options_.longest);
  const auto half = static_cast<std::uint64_t>(most.count() / 2);
  return most - Duration(static_cast<Duration::rep>(scheduler_.Random() % (half + 1)));
}

}  // namespace minichat
