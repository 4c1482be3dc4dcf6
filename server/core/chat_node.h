#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/base/scheduler.h"
#include "server/base/task.h"
#include "server/core/client_error.h"
#include "server/core/message.h"
#include "server/core/node_options.h"
#include "server/core/ports/client_link.h"
#include "server/core/ports/history_store.h"
#include "server/core/ports/message_log.h"
#include "server/core/ports/recipient_tasks.h"
#include "server/core/ports/relay.h"
#include "server/core/ports/room_directory.h"
#include "server/core/ports/room_store.h"
#include "server/core/session_owner.h"

namespace minichat::core {

struct CoreMetrics;
class Moderation;

struct JoinReply {
  RoomId room;
  Seq head = 0;
  Seq cursor = 0;         // the session gets everything above it
  bool recovered = true;  // false: `since` was not of this room's numbers
};

struct SendRequest {
  RoomId room;
  ClientMessageId cid;
  BodyKind kind = BodyKind::kText;
  std::string body;  // valid UTF-8 without NUL, within limits: the edge has checked
  bool resend = false;
};

struct Ack {
  MessageId id;
  Seq seq = 0;
  std::int64_t sent_at_ms = 0;
  bool duplicate = false;
};

struct HistoryRequest {
  RoomId room;
  std::optional<Seq> after;  // at most one of the two; neither: the newest page
  std::optional<Seq> before;
  std::size_t limit = 50;  // at most 200
};

struct HistoryPage {
  std::vector<PlacedMessage> messages;  // ascending
  std::optional<Seq> next;              // cursor in the same direction; none: the end
};

struct WhoRequest {
  RoomId room;
  UserId after;             // begins behind this user; empty: at the first
  std::size_t limit = 100;  // at most 200
};

struct WhoPage {
  std::vector<std::pair<UserId, std::size_t>> users;  // with their sessions, by name
  std::optional<UserId> next;                         // `after` of the next page; none: the end
};

// What a node needs and does not own.
struct NodePorts {
  Scheduler& scheduler;
  MessageLog& log;
  LogSource* source = nullptr;  // null: this node is no persister
  RoomDirectory& directory;
  HistoryStore& store;
  RoomStore& room_store;
  Relay& relay;
  EventEncoder& encoder;
  CoreMetrics& metrics;
  RecipientTasks* recipient_tasks = nullptr;  // null: local recipients get an event in one go
};

// One node of the cluster: its sessions, its rooms, and its part in the life of a message
// (docs/life_of_a_message.md). The facade of the chat domain.
//
// Lifetime:  Start(), then use; its end drops all that is under way, and no callback runs after it.
// Threading: confined to its scheduler's thread, all methods and callbacks. Callbacks of requests
//            run exactly once while the node lives, possibly inside the call.
// Errors:    requests answer a ClientError with a code of the protocol.
// Limits:    NodeOptions; above a bound a request is refused at once with kOverloaded.
class ChatNode final : public RelayReceiver {
 public:
  ChatNode(NodeOptions options, NodePorts ports);
  ~ChatNode() override;

  void Start();
  // Stops taking part: closes no client, writes what it can. `done` runs when the log has been
  // consumed as far as it was in hand and the node's entry is removed, or at the deadline.
  void Stop(Deadline deadline, std::function<void()> done);
  // Told when another node took this node's name: the process must end.
  void OnNameTaken(std::function<void()> handler);

  // Ready to serve: has a generation, a name, and its rooms are registered.
  bool ready() const;
  // Names what is lacking ("redis", "kafka", "postgres", "name"); empty when ready.
  std::vector<std::string> lacking() const;
  const NodeEntry& self() const;
  const std::vector<NodeEntry>& live_nodes() const;

  // Sessions.
  ClientResult<SessionId> OpenSession(SessionOwner owner, std::shared_ptr<ClientLink> link);
  // The session has a new token of the same user. None: it may go on with it.
  std::optional<ClientError> RenewSession(const SessionId& session, std::int64_t issued_at_ms);
  void CloseSession(const SessionId& session);
  // The link's queue has drained after CanTakePage() said no.
  void OnDrained(const SessionId& session);
  std::size_t session_count() const;

  // Requests of a session.
  void Join(const SessionId& session, const RoomId& room, std::optional<Seq> since,
            Callback<ClientResult<JoinReply>> done);
  // Joins all rooms, then calls `done` with one result per room in their order; no event reaches
  // the session before that.
  void Resume(const SessionId& session, std::vector<std::pair<RoomId, Seq>> rooms,
              Callback<std::vector<ClientResult<JoinReply>>> done);
  void Leave(const SessionId& session, const RoomId& room, Callback<ClientResult<RoomId>> done);
  void Send(const SessionId& session, SendRequest request, Callback<ClientResult<Ack>> done);
  void History(const SessionId& session, HistoryRequest request,
               Callback<ClientResult<HistoryPage>> done);
  void Who(const SessionId& session, WhoRequest request, Callback<ClientResult<WhoPage>> done);
  // None: the room's other sessions hear of it, if all goes well.
  std::optional<ClientError> SetTyping(const SessionId& session, const RoomId& room);

  // Rooms, members and sessions, as operators see them.
  Moderation& moderation();
  // As History(), of any room, for who needs no session.
  void ReadRoom(HistoryRequest request, Callback<ClientResult<HistoryPage>> done);

  std::vector<RelayResult> OnRelayed(const Incarnation& target, EventPtr event,
                                     const std::vector<SessionId>& recipients) override;
  void OnTyping(const Incarnation& target, const Typing& typing) override;
  void SetRelayMode(const std::string& mode, Callback<Result<RelayModeSetting>> done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::core
