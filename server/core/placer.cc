#include "server/core/placer.h"

namespace minichat::core {
namespace {

constexpr Duration kRetry = std::chrono::milliseconds(80);

Placed ToPlaced(const CommitReply& reply) {
  return {reply.place, reply.route_version, !reply.duplicate || reply.own_attempt, reply.filling,
          reply.sent_at_ms};
}

}  // namespace

Task<Result<PlaceOutcome>> Placer::Run(PlaceJob job) {
  CommitRequest request;
  request.message = job.message;
  request.attempt = job.attempt;
  if (!node_.rules().redisfirst && job.resend) {
    auto row = co_await Lookup(job);
    if (row.ok() && row->has_value()) co_return PlaceOutcome(**row);
    job.resend = false;
  }
  while (!job.deadline.Passed(node_.now()) &&
         (!job.only_in || *job.only_in == membership_.generation())) {
    const bool old = node_.rules().oldop && node_.now() - job.started > node_.options.operation;
    request.generation = membership_.generation();
    request.resend = (job.resend && node_.rules().resend) || old;
    auto reply = co_await Commit(request);
    if (!reply.ok()) {
      co_await Sleep(node_.scheduler(), kRetry);
      continue;
    }
    switch (reply->outcome) {
      case CommitReply::Outcome::kPlaced:
        co_return PlaceOutcome(ToPlaced(reply.value()));
      case CommitReply::Outcome::kConflict:
        co_return PlaceOutcome(PlaceConflict{});
      case CommitReply::Outcome::kFull:
        co_return ResourceExhausted("directory: the hot window is full");
      case CommitReply::Outcome::kCold: {
        const Status warmed = co_await reader_.Warm(job.message->room);
        if (!warmed.ok()) co_await Sleep(node_.scheduler(), kRetry);
        break;
      }
      case CommitReply::Outcome::kMiss: {
        auto row = co_await Lookup(job);
        if (!row.ok()) {
          co_await Sleep(node_.scheduler(), kRetry);
        } else if (row->has_value()) {
          co_return PlaceOutcome(**row);
        } else {
          request.looked_up = reply->miss;
        }
        break;
      }
    }
  }
  co_return DeadlineExceeded("no place within the time limit");
}

Task<Result<std::optional<StoredRow>>> Placer::Lookup(PlaceJob job) {
  const Message& message = *job.message;
  const MessageId variant = VariantIdOf(job.base_id, message.hash);
  auto row = co_await StoreCall<Result<std::optional<StoredRow>>>(
      node_, [&](Deadline deadline, auto done) {
        node_.ports.store.Lookup(message.room, job.base_id, variant, message.hash, deadline,
                                 std::move(done));
      });
  // A variant stands beside the other text: only its own text counts.
  const bool is_variant = message.id != job.base_id;
  if (is_variant && row.ok() && row->has_value() && (*row)->hash != message.hash) {
    co_return std::optional<StoredRow>();
  }
  co_return row;
}

Task<Result<CommitReply>> Placer::Commit(CommitRequest request) {
  co_return co_await DirectoryCall<Result<CommitReply>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Commit(request, deadline, std::move(done));
      });
}

}  // namespace minichat::core
