#include "server/core/janitor.h"

namespace minichat::core {
namespace {

constexpr Duration kBetweenRounds = std::chrono::milliseconds(20);  // of a stop
// The directory's clock counts milliseconds, and not from when ours does.
constexpr Duration kClockGrain = std::chrono::milliseconds(10);

}  // namespace

Task<void> Janitor::Loop() {
  for (;;) {
    co_await Sleep(node_.scheduler(), node_.Jittered(node_.options.janitor, 0.2));
    if (!membership_.ready()) continue;
    co_await CleanRoutes();
    if (!node_.rules().janu) continue;
    const Result<std::size_t> found = co_await StoreOlderThan(node_.options.janitor_age);
    found.status().IgnoreError("the next round tries again");
  }
}

Task<void> Janitor::CleanRoutes() {
  const Generation generation = membership_.generation();
  const Status status = co_await DirectoryCall<Status>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.CleanDeadRoutes(generation, deadline, std::move(done));
      });
  status.IgnoreError("the next round tries again");
}

Task<void> Janitor::StoreWhatIsLeft(TimePoint end) {
  const TimePoint start = node_.now();
  while (node_.now() < end) {
    co_await Sleep(node_.scheduler(), kBetweenRounds);
    const Duration age = node_.now() - start - kClockGrain;
    const Result<std::size_t> found = co_await StoreOlderThan(age);
    if (found.ok() && *found == 0) co_return;
  }
}

Task<Result<std::size_t>> Janitor::StoreOlderThan(Duration age) {
  const Generation generation = membership_.generation();
  auto old = co_await DirectoryCall<Result<std::vector<PlacedMessage>>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.UnstoredOlderThan(age, kRowsPerRound, generation, deadline,
                                                std::move(done));
      });
  if (!old.ok()) co_return old.status();
  const std::size_t found = old->size();
  if (found == 0) co_return found;
  std::vector<NewRow> rows;
  for (PlacedMessage& placed : old.value()) rows.push_back({std::move(placed), {}, {}});
  const Status written = co_await writer_.Write(std::move(rows), generation);
  written.IgnoreError("the next round tries again");
  co_return found;
}

}  // namespace minichat::core
