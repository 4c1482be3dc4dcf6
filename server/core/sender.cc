#include "server/core/sender.h"

#include <algorithm>

namespace minichat::core {
namespace {

constexpr std::int64_t kRetryAfterMs = 1000;
constexpr Duration kFullPause = std::chrono::seconds(1);
constexpr Duration kLatePlacing = std::chrono::seconds(10);
constexpr Duration kLeastPlacing = std::chrono::milliseconds(600);

double SecondsSince(TimePoint start, TimePoint now) {
  return std::chrono::duration<double>(now - start).count();
}

ClientError Retryable(ErrorCode code, std::string message) {
  return {code, std::move(message), kRetryAfterMs};
}

}  // namespace

void Sender::Send(const UserId& sender, SendRequest request, Done done) {
  node_.metrics().received.Increment();
  hang_.Check();
  if (auto refusal = RefusalNow(request.room)) {
    node_.metrics().CountRefusal(std::string(InfoOf(refusal->code).name));
    done(std::move(*refusal));
    return;
  }
  MessagePtr message =
      MakeMessage(std::move(request.room), sender, std::move(request.cid), request.kind,
                  std::move(request.body), node_.scheduler().WallMillis());
  const bool resend = request.resend || (node_.rules().hungsend && hang_.HungLately());
  node_.tasks.Spawn(Run(std::move(message), resend, std::move(done)));
}

std::optional<ClientError> Sender::RefusalNow(const RoomId& room) {
  if (!membership_.ready()) {
    return Retryable(ErrorCode::kUnavailable, "the directory is away; nothing was stored");
  }
  if (!node_.ports.log.available()) {
    return Retryable(ErrorCode::kUnavailable, "the log is away; nothing was stored");
  }
  std::erase_if(full_rooms_,
                [now = node_.now()](const auto& entry) { return entry.second <= now; });
  if (full_rooms_.count(room) != 0) {
    return Retryable(ErrorCode::kUnavailable, "the room holds too much that is not stored yet");
  }
  if (waiting_ >= node_.options.max_waiting_sends) {
    return Retryable(ErrorCode::kOverloaded, "too many sends are waiting on this node");
  }
  if (node_.options.outbound_full && node_.options.outbound_full()) {
    return Retryable(ErrorCode::kOverloaded, "too much waits to be sent to clients of this node");
  }
  return std::nullopt;
}

Task<void> Sender::Run(MessagePtr message, bool resend, Done done) {
  node_.metrics().waiting_sends.Set(static_cast<double>(++waiting_));
  co_await LogThenPlace(std::move(message), resend, std::move(done));
  node_.metrics().waiting_sends.Set(static_cast<double>(--waiting_));
}

Task<void> Sender::LogThenPlace(MessagePtr message, bool resend, Done done) {
  const TimePoint started = node_.now();
  const Generation generation = membership_.generation();
  const Attempt attempt = MakeAttempt(generation, node_.scheduler().Random());
  Completion<Status> report(node_.scheduler());
  node_.ports.log.Append({message, attempt}, report.callback());
  bool answered = false;
  if (node_.rules().ackrep) {
    co_await report.WaitUntil(started + node_.options.log_wait);
    if (!report.done()) {
      Refuse(done, ErrorCode::kUnknown, "the log has not answered; send again with resend:true");
      answered = true;
      co_await report.Wait();
    }
    const Status logged = report.Take();
    if (!logged.ok()) {
      const bool unknown = logged.code() == StatusCode::kUnknown;
      const ErrorCode code = logged.code() == StatusCode::kResourceExhausted
                                 ? ErrorCode::kOverloaded
                                 : (unknown ? ErrorCode::kUnknown : ErrorCode::kUnavailable);
      if (!answered)
        Refuse(done, code, unknown ? "the log may have stored it" : "the log did not store it");
      co_return;
    }
    node_.metrics().stage_log.Observe(SecondsSince(started, node_.now()));
  }
  node_.Step("after_log");
  const TimePoint now = node_.now();
  const TimePoint end = answered ? now + kLatePlacing
                                 : std::max(started + node_.options.operation, now + kLeastPlacing);
  PlaceJob job{message, message->id, attempt, resend, started, Deadline::At(end), {}};
  // In a later generation the record is the persister's, which may have judged it already.
  if (node_.rules().ownplace) job.only_in = generation;
  co_await PlaceThenFanOut(std::move(job), answered, std::move(done));
}

Task<void> Sender::PlaceThenFanOut(PlaceJob job, bool answered, Done done) {
  const TimePoint start = node_.now();
  const MessagePtr message = job.message;
  auto outcome = co_await placer_.Run(job);
  if (!outcome.ok()) {
    if (outcome.status().code() == StatusCode::kResourceExhausted) Pause(message->room);
    // It is logged: the persister will place it, whatever happens here.
    if (!answered)
      Refuse(done, ErrorCode::kUnknown,
             "stored, but without a place yet; send again with resend:true");
    co_return;
  }
  node_.metrics().stage_commit.Observe(SecondsSince(start, node_.now()));
  if (const auto* row = std::get_if<StoredRow>(&outcome.value())) {
    if (answered) co_return;
    if (row->hash != message->hash) {
      Refuse(done, ErrorCode::kCidConflict, "this cid was used with another text");
    } else {
      Acknowledge(done, {message->id, row->seq, row->sent_at_ms, true}, job.started);
    }
    co_return;
  }
  const auto* placed = std::get_if<Placed>(&outcome.value());
  if (placed != nullptr && placed->filling) Pause(message->room);
  if (placed == nullptr) {
    if (!answered) Refuse(done, ErrorCode::kCidConflict, "this cid was used with another text");
    co_return;
  }
  if (!answered) {
    Acknowledge(done, {message->id, placed->place.seq, placed->sent_at_ms, !placed->fresh},
                job.started);
  }
  node_.Step("after_commit");
  if (placed->fresh) {
    PlacedMessage event{message, placed->place};
    co_await fan_out_.Run(std::move(event), placed->route_version, job.deadline);
  }
}

void Sender::Pause(const RoomId& room) {
  full_rooms_.insert_or_assign(room, node_.now() + kFullPause);
}

void Sender::Refuse(const Done& done, ErrorCode code, std::string message) {
  node_.metrics().CountRefusal(std::string(InfoOf(code).name));
  const bool retry = InfoOf(code).retry;
  done(ClientError{code, std::move(message),
                   retry ? std::optional<std::int64_t>(kRetryAfterMs) : std::nullopt});
}

void Sender::Acknowledge(const Done& done, const Ack& ack, TimePoint started) {
  node_.metrics().acked.Increment();
  node_.metrics().end_to_end.Observe(SecondsSince(started, node_.now()));
  done(ack);
}

}  // namespace minichat::core
