#include "server/core/janitor.h"

namespace minichat::core {

Task<void> Janitor::Loop() {
  for (;;) {
    co_await Sleep(node_.scheduler(), node_.Jittered(node_.options.janitor, 0.2));
    if (!membership_.ready()) continue;
    co_await CleanRoutes();
    if (node_.rules().janu) co_await StoreOld();
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

Task<void> Janitor::StoreOld() {
  const Generation generation = membership_.generation();
  auto old = co_await DirectoryCall<Result<std::vector<PlacedMessage>>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.UnstoredOlderThan(node_.options.janitor_age, kRowsPerRound,
                                                generation, deadline, std::move(done));
      });
  if (!old.ok() || old->empty()) co_return;
  std::vector<NewRow> rows;
  for (PlacedMessage& placed : old.value()) rows.push_back({std::move(placed), {}, {}});
  const Status written = co_await writer_.Write(std::move(rows), generation);
  written.IgnoreError("the next round tries again");
}

}  // namespace minichat::core
