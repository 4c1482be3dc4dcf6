#include "ws/client_session.h"

#include <utility>

namespace minichat::ws {
namespace {

using core::ClientError;
using core::ClientResult;
using core::ErrorCode;

ClientError Error(ErrorCode code, std::string message) {
  return {code, std::move(message), std::nullopt};
}

core::SessionOwner OwnerOf(const core::Identity& identity) {
  core::SessionOwner owner{identity.user, std::nullopt};
  if (identity.valid_until_ms != 0) owner.token_issued_at_ms = identity.issued_at_ms;
  return owner;
}

template <class T>
const ClientError* ErrorOf(const ClientResult<T>& result) {
  return std::get_if<ClientError>(&result);
}

}  // namespace

void ClientSession::OnFrame(DecodedFrame frame) {
  switch (state_) {
    case State::kAwaitsHello:
      OnFirstFrame(std::move(frame));
      return;
    case State::kResuming:
      if (waiting_.size() < kMaxWaiting) {
        waiting_.push_back(std::move(frame));
      } else {
        Refuse("", Error(ErrorCode::kOverloaded, "frame: too many before welcome"));
      }
      return;
    case State::kOpen:
    case State::kLeaving:
      Dispatch(std::move(frame));
      return;
    case State::kClosed:
      return;
  }
}

void ClientSession::OnFirstFrame(DecodedFrame frame) {
  if (const auto* bad = std::get_if<BadFrame>(&frame)) {
    return RefuseHello(bad->rid, bad->error, CloseReason::kBadHello);
  }
  auto& request = std::get<ClientFrame>(frame);
  if (auto* hello = std::get_if<Hello>(&request.op)) return Open(request.rid, std::move(*hello));
  RefuseHello(request.rid, Error(ErrorCode::kBadRequest, "op: the first frame must be hello"),
              CloseReason::kBadHello);
}

void ClientSession::Open(const std::string& rid, Hello hello) {
  ClientResult<core::Identity> admitted = context_->admission.Admit(hello);
  if (const ClientError* error = ErrorOf(admitted)) {
    return RefuseHello(rid, *error, CloseReason::kBadHello);
  }
  auto& identity = std::get<core::Identity>(admitted);
  auto opened = OpenSession(identity);
  if (const ClientError* error = ErrorOf(opened)) {
    const bool full = error->code == ErrorCode::kOverloaded;
    return RefuseHello(rid, *error, full ? CloseReason::kOverloaded : CloseReason::kBadHello);
  }
  session_ = std::get<core::SessionId>(std::move(opened));
  Become(std::move(identity));
  Welcome welcome;
  welcome.session = session_;
  welcome.user = identity_.user;
  welcome.node = context_->node.self().name;
  welcome.ping_ms = context_->options.ping.count();
  if (identity_.expires_at_ms != 0) welcome.expires_ms = identity_.expires_at_ms;
  welcome.limits = {context_->options.max_rooms, context_->options.messages_per_s};
  if (hello.resume.empty()) return OnResumed(rid, std::move(welcome));
  Resume(rid, std::move(welcome), std::move(hello));
}

ClientResult<core::SessionId> ClientSession::OpenSession(const core::Identity& identity) {
  const std::string& user = identity.user.value();
  const auto now = TokenBucket::Clock::now();
  if (!context_->users.TryHold(user, now)) {
    return Error(ErrorCode::kOverloaded, "hello: this user has as many sessions as one may have");
  }
  auto opened = context_->node.OpenSession(OwnerOf(identity), shared_from_this());
  if (ErrorOf(opened) != nullptr) context_->users.Release(user, now);
  return opened;
}

void ClientSession::Become(core::Identity identity) {
  context_->expiry.Remove(identity_.valid_until_ms, this);
  identity_ = std::move(identity);
  if (identity_.valid_until_ms == 0) return;
  context_->expiry.Add(identity_.valid_until_ms, shared_from_this());
}

void ClientSession::Resume(const std::string& rid, Welcome welcome, Hello hello) {
  state_ = State::kResuming;
  const auto rooms = hello.resume;
  RequestStarted();
  context_->node.Resume(session_, std::move(hello.resume),
                        [self = shared_from_this(), rid, rooms,
                         welcome = std::move(welcome)](ResumeResults results) mutable {
                          for (std::size_t i = 0; i < results.size(); ++i) {
                            self->NoteResumed(rooms[i].first, results[i]);
                            welcome.resumed.emplace_back(rooms[i].first, std::move(results[i]));
                          }
                          self->OnResumed(rid, std::move(welcome));
                          self->RequestDone();
                        });
}

void ClientSession::NoteResumed(const core::RoomId& room,
                                const ClientResult<core::JoinReply>& result) {
  if (const ClientError* error = ErrorOf(result)) {
    context_->metrics->CountRefusal(error->code);
  } else {
    rooms_.insert(room);
  }
}

void ClientSession::OnResumed(const std::string& rid, Welcome welcome) {
  if (state_ == State::kClosed) return;
  if (state_ != State::kLeaving) state_ = State::kOpen;
  welcome.server_time_ms = context_->core.WallMillis();
  Reply(EncodeWelcome(rid, welcome));
  // The state has changed: no frame is added any more.
  for (DecodedFrame& frame : std::exchange(waiting_, {})) {
    if (state_ != State::kClosed) Dispatch(std::move(frame));
  }
}

void ClientSession::Dispatch(DecodedFrame frame) {
  if (const auto* bad = std::get_if<BadFrame>(&frame)) return Refuse(bad->rid, bad->error);
  auto& request = std::get<ClientFrame>(frame);
  if (state_ == State::kLeaving) {
    return Refuse(request.rid, Error(ErrorCode::kUnavailable, "this node restarts; reconnect"));
  }
  if (const auto refusal = RefusalOfRate()) return Refuse(request.rid, *refusal);
  std::visit([&](auto& op) { Do(request.rid, std::move(op)); }, request.op);
}

std::optional<ClientError> ClientSession::RefusalOfRate() {
  const auto wait = context_->users.TryAct(identity_.user.value(), TokenBucket::Clock::now());
  if (!wait) return std::nullopt;
  return ClientError{ErrorCode::kRateLimited, "frame: too many per second of this user's sessions",
                     wait->count()};
}

void ClientSession::Do(const std::string& rid, Hello) {
  Refuse(rid, Error(ErrorCode::kBadRequest, "hello: this session has had its hello"));
}

void ClientSession::Do(const std::string& rid, Join join) {
  if (rooms_.size() >= context_->options.max_rooms && rooms_.count(join.room) == 0) {
    return Refuse(rid,
                  Error(ErrorCode::kOverloaded, "join.room: this session is in " +
                                                    std::to_string(context_->options.max_rooms) +
                                                    " rooms, which is the limit; leave one first"));
  }
  const bool is_new = rooms_.insert(join.room).second;
  RequestStarted();
  context_->node.Join(session_, join.room, join.since,
                      [self = shared_from_this(), rid, room = join.room,
                       is_new](const ClientResult<core::JoinReply>& result) {
                        if (const ClientError* error = ErrorOf(result)) {
                          if (is_new) self->rooms_.erase(room);
                          self->Refuse(rid, *error);
                        } else {
                          self->Reply(EncodeJoined(rid, std::get<core::JoinReply>(result)));
                        }
                        self->RequestDone();
                      });
}

void ClientSession::Do(const std::string& rid, Leave leave) {
  RequestStarted();
  context_->node.Leave(session_, leave.room,
                       [self = shared_from_this(), rid](const ClientResult<core::RoomId>& result) {
                         if (const ClientError* error = ErrorOf(result)) {
                           self->Refuse(rid, *error);
                         } else {
                           self->rooms_.erase(std::get<core::RoomId>(result));
                           self->Reply(EncodeLeft(rid, std::get<core::RoomId>(result)));
                         }
                         self->RequestDone();
                       });
}

void ClientSession::Do(const std::string& rid, Send send) {
  const core::RoomId room = send.request.room;
  RequestStarted();
  context_->node.Send(session_, std::move(send.request),
                      [self = shared_from_this(), rid, room](const ClientResult<core::Ack>& ack) {
                        if (const ClientError* error = ErrorOf(ack)) {
                          self->ReplyError(rid, *error);
                        } else {
                          self->Reply(EncodeAck(rid, room, std::get<core::Ack>(ack)));
                        }
                        self->RequestDone();
                      });
}

void ClientSession::Do(const std::string& rid, History history) {
  if (reads_ >= kMaxReads) {
    return Refuse(rid,
                  {ErrorCode::kOverloaded,
                   "history: this session has " + std::to_string(kMaxReads) + " under way", 1000});
  }
  const core::RoomId room = history.request.room;
  const bool forward = history.request.after.has_value();
  ++reads_;
  RequestStarted();
  context_->node.History(
      session_, std::move(history.request),
      [self = shared_from_this(), rid, room,
       forward](const ClientResult<core::HistoryPage>& result) {
        --self->reads_;
        if (const ClientError* error = ErrorOf(result)) {
          self->Refuse(rid, *error);
        } else {
          self->Reply(EncodeHistory(rid, room, std::get<core::HistoryPage>(result), forward));
        }
        self->RequestDone();
      });
}

void ClientSession::Do(const std::string& rid, Who who) {
  const core::RoomId room = who.request.room;
  RequestStarted();
  context_->node.Who(
      session_, std::move(who.request),
      [self = shared_from_this(), rid, room](const ClientResult<core::WhoPage>& result) {
        if (const ClientError* error = ErrorOf(result)) {
          self->Refuse(rid, *error);
        } else {
          self->Reply(EncodeWho(rid, room, std::get<core::WhoPage>(result)));
        }
        self->RequestDone();
      });
}

void ClientSession::Do(const std::string& rid, const Typing& typing) {
  const auto refusal = context_->node.SetTyping(session_, typing.room);
  if (refusal) Refuse(rid, *refusal);
}

void ClientSession::Do(const std::string& rid, Refresh refresh) {
  ClientResult<core::Identity> renewed = context_->admission.Renew(identity_.user, refresh);
  if (const ClientError* error = ErrorOf(renewed)) return Refuse(rid, *error);
  const auto& identity = std::get<core::Identity>(renewed);
  if (const auto refusal = context_->node.RenewSession(session_, identity.issued_at_ms)) {
    return Refuse(rid, *refusal);
  }
  Become(std::move(std::get<core::Identity>(renewed)));
  Reply(EncodeRefreshed(rid, identity_.expires_at_ms));
}

void ClientSession::Do(const std::string& rid, Ping) {
  Reply(EncodePong(rid));
}

void ClientSession::OnDrained() {
  if (state_ != State::kClosed && !session_.empty()) context_->node.OnDrained(session_);
}

void ClientSession::OnClosed() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  waiting_.clear();
  connection_.reset();
  context_->expiry.Remove(identity_.valid_until_ms, this);
  if (session_.empty()) return;
  context_->node.CloseSession(session_);
  context_->users.Release(identity_.user.value(), TokenBucket::Clock::now());
}

void ClientSession::Deliver(const core::EventPtr& event) {
  if (!connection_) return;
  // Another node may have encoded it. What is no frame must not get between frames.
  context_->outbox.Send(
      connection_, IsTextFrame(*event->encoded) ? event->encoded : MakeTextFrame(*event->encoded));
}

// While much waits for all clients together, what is owed comes by the head sweep, a little later:
// many who catch up at once must not make each other slow readers.
bool ClientSession::CanTakePage() const {
  return connection_ && !context_->metrics->OutboundHalfFull() && connection_->level().TakePage();
}

void ClientSession::TellGap(const core::RoomId& room, core::Seq from, core::Seq to) {
  Reply(EncodeGap(room, from, to));
}

void ClientSession::Tell(const core::NoticePtr& notice) {
  if (!connection_) return;
  // The bytes are the notice's, and live with it.
  context_->outbox.SendLatest(connection_, notice->key, notice->encoded);
}

void ClientSession::TellRemoved(const core::RoomId& room) {
  rooms_.erase(room);
  Reply(EncodeRemoved(room));
}

void ClientSession::End(core::SessionEnd why) {
  CloseWith(why == core::SessionEnd::kKicked ? CloseReason::kKicked : CloseReason::kTokenRevoked);
}

void ClientSession::CloseForRestart() {
  if (state_ == State::kClosed || state_ == State::kLeaving) return;
  state_ = State::kLeaving;
  Reply(EncodeBye("draining", context_->options.bye_after.count(),
                  context_->options.bye_jitter.count()));
  if (under_way_ == 0) return CloseWith(CloseReason::kDraining);
  context_->core.RunAfter(context_->options.drain, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->CloseWith(CloseReason::kDraining);
  });
}

void ClientSession::OnTokenExpired() {
  Refuse("", Error(ErrorCode::kUnauthorized, "token: has expired"));
  CloseWith(CloseReason::kTokenExpired);
  OnClosed();
}

void ClientSession::Reply(std::string_view text) {
  if (!connection_) return;
  context_->outbox.Send(connection_, MakeTextFrame(text));
}

void ClientSession::ReplyError(const std::string& rid, const ClientError& error) {
  Reply(EncodeError(rid, error));
}

void ClientSession::Refuse(const std::string& rid, const ClientError& error) {
  context_->metrics->CountRefusal(error.code);
  ReplyError(rid, error);
}

void ClientSession::RefuseHello(const std::string& rid, const ClientError& error,
                                CloseReason reason) {
  Refuse(rid, error);
  CloseWith(reason);
  // What the client sent behind its first frame is not looked at.
  state_ = State::kClosed;
  connection_.reset();
}

void ClientSession::CloseWith(CloseReason reason) {
  if (connection_) context_->outbox.Close(connection_, reason);
}

void ClientSession::RequestDone() {
  --under_way_;
  if (under_way_ == 0 && state_ == State::kLeaving) CloseWith(CloseReason::kDraining);
}

}  // namespace minichat::ws
