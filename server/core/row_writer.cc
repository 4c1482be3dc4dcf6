#include "server/core/row_writer.h"

#include <map>
#include <utility>

namespace minichat::core {

Task<Status> RowWriter::Write(std::vector<NewRow> rows, Generation generation) {
  auto reply = co_await StoreCall<Result<InsertReply>>(node_, [&](Deadline deadline, auto done) {
    node_.ports.store.Insert(rows, generation, deadline, std::move(done));
  });
  if (!reply.ok()) co_return reply.status();
  if (reply->fenced) co_return Refuse(generation);
  node_.metrics().persist_batch_rows.Observe(static_cast<double>(rows.size()));
  node_.metrics().persisted.Increment(static_cast<double>(rows.size() - reply->dead.size()));
  node_.metrics().dead_letters.Increment(static_cast<double>(reply->dead.size()));
  // Dead ones too: nothing more will become of them, and the window must not wait for them.
  const Status marked = co_await Mark(std::move(rows), generation);
  co_return node_.rules().markfirst ? marked : Status();
}

Task<Status> RowWriter::Confirm(Generation generation) {
  auto current =
      co_await StoreCall<Result<Generation>>(node_, [this](Deadline deadline, auto done) {
        node_.ports.store.CurrentGeneration(deadline, std::move(done));
      });
  if (!current.ok()) co_return current.status();
  if (current.value() > generation) co_return Refuse(generation);
  co_return Status();
}

Status RowWriter::Refuse(Generation generation) {
  if (generation == membership_.generation()) membership_.OnFenced();
  return Aborted("a later generation is current");
}

Task<Status> RowWriter::Mark(std::vector<NewRow> rows, Generation generation) {
  std::map<RoomId, std::vector<std::pair<MessageId, Seq>>> by_room;
  for (const NewRow& row : rows) {
    by_room[row.placed.message->room].emplace_back(row.placed.message->id, row.placed.place.seq);
  }
  Status first_error;
  for (const auto& entry : by_room) {
    const Status status = co_await DirectoryCall<Status>(
        node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
          node_.ports.directory.MarkStored(entry.first, entry.second, generation, deadline,
                                           std::move(done));
        });
    if (first_error.ok() && !status.ok()) first_error = status;
  }
  co_return first_error;
}

}  // namespace minichat::core
