#include "server/core/room_reader.h"

#include <algorithm>
#include <iterator>

namespace minichat::core {
namespace {

constexpr int kWarmTries = 20;
constexpr Duration kLeasePause = std::chrono::milliseconds(50);

void Append(std::vector<PlacedMessage>& out, std::vector<PlacedMessage> more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Rows carry no `prev`. What a read returns has no holes above `after`, so each one's predecessor
// is the one before it.
void ChainPrevs(std::vector<PlacedMessage>& messages, Seq after) {
  Seq previous = after;
  for (PlacedMessage& placed : messages) {
    if (placed.place.prev == 0) placed.place.prev = previous;
    previous = placed.place.seq;
  }
}

}  // namespace

Task<Result<ReadPage>> RoomReader::ReadAfter(RoomId room, Seq after, std::size_t limit,
                                             WindowLow* low) {
  const Generation generation = membership_.generation();
  std::vector<PlacedMessage> early;
  if (!node_.rules().winfirst) {
    RangeRequest all{room, after, kMaxSeq, limit, false};
    auto rows = co_await Rows(std::move(all));
    if (!rows.ok()) co_return rows.status();
    early = std::move(rows).value();
  }
  WindowRequest request{room, generation, after, kMaxSeq, limit, false};
  auto window = co_await Window(std::move(request));
  if (!window.ok()) co_return window.status();
  if (low != nullptr) *low = {!window->empty, window->lowest_prev};

  ReadPage page;
  page.head = window->head;
  if (window->empty || after < window->lowest_prev) {
    Seq below = window->empty ? window->head + 1 : window->lowest_seq;
    if (window->empty && !node_.rules().toprow) below = kMaxSeq;
    if (node_.rules().winfirst) {
      RangeRequest stored{room, after, below, limit, false};
      auto rows = co_await Rows(std::move(stored));
      if (!rows.ok()) co_return rows.status();
      page.messages = std::move(rows).value();
    } else {
      std::copy_if(early.begin(), early.end(), std::back_inserter(page.messages),
                   [&](const PlacedMessage& m) { return m.place.seq < below; });
    }
  }
  if (node_.rules().readgen && generation != membership_.generation()) {
    co_return Aborted("the generation changed while reading");
  }
  if (page.messages.size() < limit) Append(page.messages, std::move(window->messages));
  if (page.messages.size() > limit) page.messages.resize(limit);
  page.more = page.messages.size() == limit && page.messages.back().place.seq < page.head;
  ChainPrevs(page.messages, after);
  co_return page;
}

Task<Result<ReadPage>> RoomReader::ReadBefore(RoomId room, Seq before, std::size_t limit) {
  const Generation generation = membership_.generation();
  WindowRequest request{room, generation, 0, before, limit, true};
  auto window = co_await Window(std::move(request));
  if (!window.ok()) co_return window.status();
  ReadPage page;
  page.head = window->head;
  const Seq low = window->empty ? window->head + 1 : window->lowest_seq;
  if (window->messages.size() < limit && (window->empty || window->lowest_prev > 0)) {
    const std::size_t lacking = limit - window->messages.size();
    RangeRequest stored{room, 0, std::min(before, low), lacking, true};
    auto rows = co_await Rows(std::move(stored));
    if (!rows.ok()) co_return rows.status();
    page.messages = std::move(rows).value();
  }
  if (node_.rules().readgen && generation != membership_.generation()) {
    co_return Aborted("the generation changed while reading");
  }
  Append(page.messages, std::move(window->messages));
  page.more = page.messages.size() == limit;
  co_return page;
}

Task<Status> RoomReader::Warm(RoomId room) {
  const Generation generation = membership_.generation();
  const std::string token = std::to_string(node_.scheduler().Random());
  auto lease = co_await DirectoryCall<Result<LeaseOutcome>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Lease(room, token, generation, deadline, std::move(done));
      });
  if (!lease.ok()) co_return lease.status();
  if (lease.value() == LeaseOutcome::kOpen) co_return Status();
  if (lease.value() == LeaseOutcome::kBusy) {
    co_await Sleep(node_.scheduler(), kLeasePause);
    co_return Status();
  }
  auto facts = co_await StoreCall<Result<WarmingFacts>>(node_, [&](Deadline deadline, auto done) {
    node_.ports.store.PrepareWarming(room, generation, deadline, std::move(done));
  });
  if (!facts.ok()) co_return facts.status();
  if (facts->refused) {
    membership_.OnFenced();
    co_return Aborted("a later generation is current");
  }
  WarmRequest request{room, generation, token, facts->max_seq, false};
  const auto recent = 2 * node_.options.directory.dedup_ttl;
  request.recently_used =
      facts->newest_age_ms >= 0 && std::chrono::milliseconds(facts->newest_age_ms) < recent;
  auto warmed = co_await DirectoryCall<Result<WarmOutcome>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Warm(request, deadline, std::move(done));
      });
  if (!warmed.ok()) co_return warmed.status();
  if (warmed.value() == WarmOutcome::kOtherGeneration) {
    membership_.LoseReady();
    co_return Aborted("the directory is in another generation");
  }
  co_return Status();
}

Task<Result<WindowReply>> RoomReader::Window(WindowRequest request) {
  for (int i = 0; i < kWarmTries; ++i) {
    auto reply = co_await DirectoryCall<Result<WindowReply>>(
        node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
          node_.ports.directory.Window(request, deadline, std::move(done));
        });
    if (!reply.ok() || !reply->cold) co_return reply;
    const Status warmed = co_await Warm(request.room);
    if (!warmed.ok()) co_return warmed;
  }
  co_return Unavailable("the room stays cold");
}

Task<Result<std::vector<PlacedMessage>>> RoomReader::Rows(RangeRequest request) {
  co_return co_await StoreCall<Result<std::vector<PlacedMessage>>>(
      node_, [&](Deadline deadline, auto done) {
        node_.ports.store.Range(request, deadline, std::move(done));
      });
}

}  // namespace minichat::core
