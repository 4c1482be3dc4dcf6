#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/core/chat_node.h"
#include "ws/admission.h"
#include "ws/codec.h"
#include "ws/connection.h"
#include "ws/key_limits.h"
#include "ws/options.h"
#include "ws/outbox.h"
#include "ws/session_expiry.h"
#include "ws/ws_metrics.h"

namespace minichat::ws {

// What all client sessions share.
//
// Lifetime: shared with the sessions; what it refers to outlives the core's scheduler's last turn.
struct ClientContext {
  SessionOptions options;
  Scheduler& core;
  core::ChatNode& node;
  std::shared_ptr<WsMetrics> metrics;
  Outbox outbox;
  Admission admission;
  SessionExpiry expiry;
  KeyLimits<std::string> users{{options.user_sessions, options.user_messages_per_s}};
};

// A client's side of the chat domain: hello, then requests, whose replies it encodes.
//
// Lifetime:  shared by its connection, the node (from hello to close) and requests under way.
// Threading: confined to the core's thread, but for the constructor.
// Errors:    each refused frame is answered with an error frame and counted.
// Limits:    SessionOptions; while a resume is under way kMaxWaiting further frames wait;
// kMaxReads.
class ClientSession final : public core::ClientLink,
                            public Expiring,
                            public std::enable_shared_from_this<ClientSession> {
 public:
  static constexpr std::size_t kMaxWaiting = 100;
  static constexpr std::size_t kMaxReads =
      16;  // of history, so that nobody takes all of the node's

  ClientSession(std::shared_ptr<ClientContext> context, std::shared_ptr<Connection> connection)
      : context_(std::move(context)), connection_(std::move(connection)) {}

  // From the connection.
  void OnFrame(DecodedFrame frame);
  void OnDrained();
  void OnClosed();

  // From the node.
  void Deliver(const core::EventPtr& event) override;
  bool CanTakePage() const override;
  void TellGap(const core::RoomId& room, core::Seq from, core::Seq to) override;
  void Tell(const core::NoticePtr& notice) override;
  void TellRemoved(const core::RoomId& room) override;
  void CloseForRestart() override;
  void End(core::SessionEnd why) override;

  void OnTokenExpired() override;

 private:
  enum class State { kAwaitsHello, kResuming, kOpen, kLeaving, kClosed };
  using ResumeResults = std::vector<core::ClientResult<core::JoinReply>>;

  void OnFirstFrame(DecodedFrame frame);
  void Open(const std::string& rid, Hello hello);
  // Its session, which counts for the user from now on.
  core::ClientResult<core::SessionId> OpenSession(const core::Identity& identity);
  void Become(core::Identity identity);
  void Resume(const std::string& rid, Welcome welcome, Hello hello);
  void NoteResumed(const core::RoomId& room, const core::ClientResult<core::JoinReply>& result);
  void OnResumed(const std::string& rid, Welcome welcome);
  void Dispatch(DecodedFrame frame);
  // Too many requests of this user, over all sessions?
  std::optional<core::ClientError> RefusalOfRate();

  void Do(const std::string& rid, Hello hello);
  void Do(const std::string& rid, Join join);
  void Do(const std::string& rid, Leave leave);
  void Do(const std::string& rid, Send send);
  void Do(const std::string& rid, History history);
  void Do(const std::string& rid, Who who);
  void Do(const std::string& rid, const Typing& typing);
  void Do(const std::string& rid, Refresh refresh);
  void Do(const std::string& rid, Ping ping);

  void Reply(std::string_view text);
  void ReplyError(const std::string& rid, const core::ClientError& error);
  // Counted here. The node counts only the sends that it refuses.
  void Refuse(const std::string& rid, const core::ClientError& error);
  void RefuseHello(const std::string& rid, const core::ClientError& error, CloseReason reason);
  void CloseWith(CloseReason reason);
  // A request went to the node; its answer calls RequestDone().
  void RequestStarted() { ++under_way_; }
  void RequestDone();

  const std::shared_ptr<ClientContext> context_;
  std::shared_ptr<Connection> connection_;  // null once closed
  State state_ = State::kAwaitsHello;
  core::SessionId session_;
  core::Identity identity_;
  std::set<core::RoomId> rooms_;       // joined, or being joined
  std::vector<DecodedFrame> waiting_;  // during a resume
  std::size_t under_way_ = 0;
  std::size_t reads_ = 0;  // of these
};

}  // namespace minichat::ws
