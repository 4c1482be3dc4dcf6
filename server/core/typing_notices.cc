#include "server/core/typing_notices.h"

#include "server/core/make_event.h"

namespace minichat::core {

void TypingNotices::Send(const Session& session, const RoomId& room) {
  if (!MayPass({room, session.user})) return;
  const Typing typing{room, session.user};
  TellHere(typing, session.id);
  for (const auto& [node, incarnation] : presence_.OtherNodes(room)) {
    node_.ports.relay.SendTyping(node, incarnation, typing);
  }
}

bool TypingNotices::MayPass(const Key& key) {
  if (presence_.IsCrowded(key.first)) {
    node_.metrics().typing_crowded.Increment();
    return false;
  }
  const TimePoint now = node_.now();
  while (!by_age_.empty() && by_age_.front().first + node_.options.typing_pause <= now) {
    recent_.erase(by_age_.front().second);
    by_age_.pop_front();
  }
  if (recent_.count(key) != 0) {
    node_.metrics().typing_repeats.Increment();
    return false;
  }
  if (recent_.size() >= kMaxRecent) {
    node_.metrics().typing_overflows.Increment();
    return false;
  }
  recent_.insert(key);
  by_age_.emplace_back(now, key);
  return true;
}

void TypingNotices::TellHere(const Typing& typing, const SessionId& but) const {
  const auto sequencer = rooms_.Find(typing.room);
  if (!sequencer || presence_.IsCrowded(typing.room)) return;
  const NoticePtr notice =
      MakeNotice(Notice::Kind::kTyping, typing.room, typing.user, node_.ports.encoder);
  for (const SessionPtr& session : sequencer->sessions()) {
    if (!session->corked && session->id != but) session->link->Tell(notice);
  }
}

}  // namespace minichat::core
