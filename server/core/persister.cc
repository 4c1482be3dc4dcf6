#include "server/core/persister.h"

#include <set>

namespace minichat::core {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(200);
constexpr Duration kPlacing = std::chrono::seconds(3);

}  // namespace

void Persister::OnBatch(LogBatch batch, Callback<Status> done) {
  node_.tasks.Spawn(Run(std::move(batch), std::move(done)));
}

Task<void> Persister::Run(LogBatch batch, Callback<Status> done) {
  co_await Sleep(node_.scheduler(), node_.options.persist_linger);
  const Status status = co_await Store(batch);
  if (!status.ok()) log::Debug("batch_not_stored", {{"why", status.ToString()}});
  done(status);
}

Task<Status> Persister::Store(const LogBatch& batch) {
  const Generation generation = membership_.generation();
  const Status dead = co_await StoreUnreadable(batch);
  if (!dead.ok()) co_return dead;
  Decided decided;
  const Status gathered = co_await Gather(batch, generation, &decided);
  // What is decided is written even if a later record has to wait: a full window must drain.
  if (generation == membership_.generation()) {
    const Status carried = co_await Carry(std::move(decided), generation);
    if (!carried.ok()) co_return carried;
  }
  if (gathered.ok() && generation != membership_.generation()) {
    co_return Aborted("the generation changed");
  }
  co_return gathered;
}

// Both ways end at Postgres' `current`: what this generation decided counts only while it is in
// force.
Task<Status> Persister::Carry(Decided decided, Generation generation) {
  if (!decided.rows.empty()) co_return co_await writer_.Write(std::move(decided.rows), generation);
  if (!decided.skipped || !node_.rules().skipfence) co_return Status();
  co_return co_await writer_.Confirm(generation);
}

Task<Status> Persister::StoreUnreadable(const LogBatch& batch) {
  std::vector<DeadLetter> letters;
  for (const ConsumedRecord& record : batch.records) {
    if (record.message) continue;
    letters.push_back({batch.partition, record.offset, record.error, record.raw});
  }
  if (letters.empty()) co_return Status();
  const auto count = static_cast<double>(letters.size());
  const Status stored = co_await StoreCall<Status>(node_, [&](Deadline deadline, auto done) {
    node_.ports.store.AddDeadLetters(letters, deadline, std::move(done));
  });
  if (stored.ok()) node_.metrics().dead_letters.Increment(count);
  co_return stored;
}

Task<Status> Persister::Gather(const LogBatch& batch, Generation generation, Decided* decided) {
  auto taken = co_await TakeAll(batch, generation);
  if (!taken.ok()) co_return taken.status();
  for (const ConsumedRecord& record : batch.records) {
    if (!record.message) continue;
    // Its own node may have acknowledged it, or another one refused it, in a memory that this one
    // knows nothing of.
    if (node_.rules().recgen && GenerationOf(record.attempt) > generation) {
      membership_.OnLaterGeneration(GenerationOf(record.attempt));
      co_return Aborted("a record names a later generation");
    }
    std::optional<UnstoredPlace> known;
    const auto it = taken->find(record.message->id);
    if (it != taken->end()) known = it->second;
    auto row = co_await Resolve(record, known, generation, &decided->skipped);
    if (!row.ok()) co_return row.status();
    if (generation != membership_.generation()) co_return Aborted("the generation changed");
    if (row->has_value()) decided->rows.push_back({**row, batch.partition, record.offset});
  }
  co_return Status();
}

Task<Result<std::optional<PlacedMessage>>> Persister::Resolve(const ConsumedRecord& record,
                                                              std::optional<UnstoredPlace> known,
                                                              Generation generation,
                                                              bool* skipped) {
  const BodyHash hash = record.message->hash;
  const MessageId base_id = record.message->id;
  ConsumedRecord subject = record;
  Whereabouts found;
  if (known) {
    found = {true, known->hash != hash, known->place};
  } else {
    auto placed = co_await FindOrPlace(subject, base_id, generation);
    if (!placed.ok()) co_return placed.status();
    found = placed.value();
  }
  if (found.other_text && node_.rules().both && GenerationOf(record.attempt) < generation) {
    // Which of the two texts was acknowledged is forgotten: both are stored. (Not told by time: a
    // node on the far side of a failover goes on in the old generation for a while.)
    auto variant = std::make_shared<Message>(*record.message);
    variant->id = VariantIdOf(base_id, hash);
    subject.message = std::move(variant);
    auto placed = co_await FindOrPlace(subject, base_id, generation);
    if (!placed.ok()) co_return placed.status();
    found = placed.value();
  }
  if (found.other_text && node_.rules().uhash) {
    node_.metrics().loser_records.Increment();
    *skipped = true;
    co_return std::optional<PlacedMessage>();
  }
  if (!found.to_write) co_return std::optional<PlacedMessage>();
  co_return std::optional<PlacedMessage>(PlacedMessage{subject.message, found.place});
}

Task<Result<std::map<MessageId, UnstoredPlace>>> Persister::TakeAll(const LogBatch& batch,
                                                                    Generation generation) {
  std::map<RoomId, std::vector<MessageId>> by_room;
  for (const ConsumedRecord& record : batch.records) {
    if (record.message) by_room[record.message->room].push_back(record.message->id);
  }
  std::map<MessageId, UnstoredPlace> all;
  for (auto& [room, ids] : by_room) {
    auto places = co_await Take(room, std::move(ids), generation);
    if (!places.ok()) co_return places.status();
    for (const UnstoredPlace& place : places.value()) all[place.id] = place;
  }
  co_return all;
}

Task<Result<std::vector<UnstoredPlace>>> Persister::Take(RoomId room, std::vector<MessageId> ids,
                                                         Generation generation) {
  co_return co_await DirectoryCall<Result<std::vector<UnstoredPlace>>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.TakeUnstored(room, ids, generation, deadline, std::move(done));
      });
}

Task<Result<Persister::Whereabouts>> Persister::FindOrPlace(ConsumedRecord record,
                                                            MessageId base_id,
                                                            Generation generation) {
  if (node_.rules().young) {
    auto found = co_await WaitWhileYoung(record, base_id, generation);
    if (!found.ok()) co_return found.status();
    if (found->has_value()) co_return **found;
  }
  if (!node_.rules().replace) co_return Whereabouts{};
  co_return co_await PlaceNow(record, base_id, generation);
}

// A record without a place may be on its way to one: its node still works on it.
Task<Result<std::optional<Persister::Whereabouts>>> Persister::WaitWhileYoung(
    ConsumedRecord record, MessageId base_id, Generation generation) {
  PlaceJob job{record.message, base_id, record.attempt, true, {}, node_.In(kPlacing), {}};
  const auto young_ms = node_.options.young / std::chrono::milliseconds(1);
  while (node_.scheduler().WallMillis() - record.written_at_ms < young_ms) {
    auto row = co_await placer_.Lookup(job);
    if (!row.ok()) co_return row.status();
    if (row->has_value()) {
      const bool other = (*row)->hash != record.message->hash;
      co_return std::optional<Whereabouts>(Whereabouts{false, other, {}});
    }
    co_await Sleep(node_.scheduler(), kLookAgain);
    std::vector<MessageId> ids(1, record.message->id);
    auto taken = co_await Take(record.message->room, std::move(ids), generation);
    if (!taken.ok()) co_return taken.status();
    if (!taken->empty()) {
      const UnstoredPlace& place = taken->front();
      const bool other = place.hash != record.message->hash;
      co_return std::optional<Whereabouts>(Whereabouts{true, other, place.place});
    }
  }
  co_return std::optional<Whereabouts>();
}

Task<Result<Persister::Whereabouts>> Persister::PlaceNow(ConsumedRecord record, MessageId base_id,
                                                         Generation generation) {
  PlaceJob job{record.message,     base_id,   record.attempt, node_.rules().pgknown, node_.now(),
               node_.In(kPlacing), generation};
  auto outcome = co_await placer_.Run(job);
  if (!outcome.ok()) co_return outcome.status();
  if (const auto* row = std::get_if<StoredRow>(&outcome.value())) {
    co_return Whereabouts{false, row->hash != record.message->hash, {}};
  }
  const auto* placed = std::get_if<Placed>(&outcome.value());
  if (placed == nullptr) co_return Whereabouts{false, true, {}};
  if (placed->fresh) {
    // Its own node may have placed this attempt a moment ago: telling it twice does no harm.
    node_.metrics().persister_placed.Increment();
    node_.tasks.Spawn(fan_out_.Run({record.message, placed->place}, placed->route_version,
                                   node_.In(node_.options.operation)));
  }
  co_return Whereabouts{true, false, placed->place};
}

}  // namespace minichat::core
