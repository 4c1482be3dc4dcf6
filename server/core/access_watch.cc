#include "server/core/access_watch.h"

#include <algorithm>
#include <set>
#include <utility>

namespace minichat::core {
namespace {

// Tokens must not live longer (docs/security.md).
constexpr std::chrono::hours kRevocationsKept{24 * 90};

}  // namespace

bool AccessWatch::IsSeen(std::uint64_t version) const {
  return seen_ == version && seen_in_ == membership_.generation();
}

void AccessWatch::OnVersion(std::uint64_t version) {
  if (catching_up_ || IsSeen(version)) return;
  catching_up_ = true;
  node_.tasks.Spawn(CatchUp());
}

Task<void> AccessWatch::CatchUp() {
  const Generation generation = membership_.generation();
  const bool known = seen_.has_value() && seen_in_ == generation;
  const std::uint64_t after = known ? *seen_ : 0;
  auto news = co_await DirectoryCall<Result<AccessNews>>(
      node_, membership_, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.AccessChangesAfter(after, deadline, std::move(done));
      });
  if (news.ok()) {
    const std::uint64_t version = news->version;
    if (!known) news->complete = false;
    const bool done = co_await CatchUpWith(std::move(news).value());
    if (done) {
      seen_ = version;
      seen_in_ = generation;
    }
  }
  catching_up_ = false;
}

Task<bool> AccessWatch::CatchUpWith(AccessNews news) {
  if (!news.changes.empty() || !news.complete) access_.BeginEpoch();
  for (const AccessChange& change : news.changes) Apply(change);
  if (news.complete) co_return true;
  const bool loaded = co_await LoadRevocations();
  if (!loaded) co_return false;
  co_return co_await CheckMembers();
}

Task<bool> AccessWatch::LoadRevocations() {
  const std::int64_t since =
      node_.scheduler().WallMillis() - std::chrono::milliseconds(kRevocationsKept).count();
  auto all =
      co_await StoreCall<Result<std::vector<Revocation>>>(node_, [&](Deadline deadline, auto done) {
        node_.ports.room_store.Revocations(since, deadline, std::move(done));
      });
  if (!all.ok()) co_return false;
  revoked_before_ms_.clear();
  for (const Revocation& one : all.value()) revoked_before_ms_[one.user] = one.before_ms;
  for (const Revocation& one : all.value()) EndRevoked(one.user);
  co_return true;
}

Task<bool> AccessWatch::CheckMembers() {
  std::set<std::pair<UserId, RoomId>> members;
  for (const SessionPtr& session : rooms_.sessions()) {
    for (const RoomId& room : session->rooms) {
      if (!access_.IsOpen(room)) members.emplace(session->user, room);
    }
  }
  for (const auto& [user, room] : members) {
    const auto refusal = co_await access_.RefusalOf(user, room);
    if (!refusal) continue;
    if (refusal->code != ErrorCode::kForbidden) co_return false;
    Remove(user, room);
  }
  co_return true;
}

void AccessWatch::Apply(const AccessChange& change) {
  switch (change.kind) {
    case AccessChange::Kind::kMemberRemoved:
      return Remove(change.user, change.room);
    case AccessChange::Kind::kKicked:
      for (const SessionPtr& session : rooms_.sessions()) {
        const bool meant =
            change.session.empty() ? session->user == change.user : session->id == change.session;
        if (meant) session->link->End(SessionEnd::kKicked);
      }
      return;
    case AccessChange::Kind::kRevoked: {
      std::int64_t& before = revoked_before_ms_[change.user];
      before = std::max(before, change.before_ms);
      return EndRevoked(change.user);
    }
  }
}

void AccessWatch::Remove(const UserId& user, const RoomId& room) {
  const auto sequencer = rooms_.Find(room);
  if (!sequencer || access_.IsOpen(room)) return;
  for (const SessionPtr& session : sequencer->sessions()) {
    if (session->user != user) continue;
    rooms_.Leave(session, room);
    session->link->TellRemoved(room);
    node_.tasks.Spawn(dropper_.DropInTurn(room, session->id));
  }
}

void AccessWatch::EndRevoked(const UserId& user) {
  for (const SessionPtr& session : rooms_.sessions()) {
    if (session->user != user || !session->token_issued_at_ms) continue;
    if (RefusalOf(user, *session->token_issued_at_ms)) session->link->End(SessionEnd::kRevoked);
  }
}

std::optional<ClientError> AccessWatch::RefusalOf(const UserId& user,
                                                  std::int64_t issued_at_ms) const {
  if (!seen_) {
    return ClientError{ErrorCode::kUnavailable, "token: revocations can't be looked up now", 1000};
  }
  const auto revoked = revoked_before_ms_.find(user);
  if (revoked == revoked_before_ms_.end() || issued_at_ms >= revoked->second) return std::nullopt;
  return ClientError{ErrorCode::kUnauthorized, "token: was revoked", {}};
}

}  // namespace minichat::core
