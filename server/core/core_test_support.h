#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/core/chat_node.h"
#include "server/core/core_metrics.h"
#include "storage/memory/memory_directory.h"
#include "storage/memory/memory_log.h"
#include "storage/memory/memory_room_store.h"
#include "storage/memory/memory_store.h"
#include "tests/support/manual_scheduler.h"

namespace minichat::core {

// "seq:body", so that a test can read what a client got.
class PlainEncoder final : public EventEncoder {
 public:
  std::string Encode(const PlacedMessage& placed) const override {
    return std::to_string(placed.place.seq) + ":" + placed.message->body;
  }
  // "+ann", "-ann" or "ann..."
  std::string EncodeNotice(Notice::Kind kind, const RoomId&, const UserId& user) const override {
    if (kind == Notice::Kind::kTyping) return user.value() + "...";
    return (kind == Notice::Kind::kOnline ? "+" : "-") + user.value();
  }
};

// A client that keeps what it gets.
class FakeClientLink final : public ClientLink {
 public:
  void Deliver(const EventPtr& event) override { got.push_back(*event->encoded); }
  bool CanTakePage() const override { return got.size() - read < room; }
  void TellGap(const RoomId&, Seq from, Seq to) override { gaps.emplace_back(from, to); }
  void Tell(const NoticePtr& notice) override { told.push_back(*notice->encoded); }
  void TellRemoved(const RoomId& from) override { removed.push_back(from.value()); }
  void CloseForRestart() override { closed = true; }
  void End(SessionEnd why) override { ended = why; }

  std::vector<std::string> got;
  std::vector<std::pair<Seq, Seq>> gaps;
  std::size_t room = 1'000'000;  // unread events that fit
  std::size_t read = 0;
  bool closed = false;
  std::vector<std::string> told;  // notices of all rooms
  std::vector<std::string> removed;
  std::optional<SessionEnd> ended;
};

// Hands events straight to the other nodes' receivers, unless it is told to lose them.
class FakeRelay final : public Relay {
 public:
  explicit FakeRelay(Scheduler& scheduler) : scheduler_(scheduler) {}

  void SetPeers(std::vector<NodeEntry> now) override { peers = std::move(now); }
  void Deliver(const NodeName& node, const Incarnation& incarnation, EventPtr event,
               std::vector<SessionId> recipients, Deadline,
               Callback<std::vector<RelayResult>> done) override {
    ++calls;
    if (losing) return;
    scheduler_.Post([this, node, incarnation, event, recipients, done] {
      const auto it = receivers.find(node);
      std::vector<RelayResult> failed(recipients.size(), RelayResult::kFailed);
      done(it == receivers.end() ? failed : it->second->OnRelayed(incarnation, event, recipients));
    });
  }
  void SendTyping(const NodeName& node, const Incarnation& incarnation,
                  const Typing& typing) override {
    ++typing_calls;
    scheduler_.Post([this, node, incarnation, typing] {
      const auto it = receivers.find(node);
      if (it != receivers.end()) it->second->OnTyping(incarnation, typing);
    });
  }
  void OnClusterMode(const RelayModeSetting& setting) override { mode = setting.mode; }

  std::map<NodeName, RelayReceiver*> receivers;
  std::vector<NodeEntry> peers;
  std::string mode;
  int calls = 0;
  int typing_calls = 0;
  bool losing = false;

 private:
  Scheduler& scheduler_;
};

// A directory whose answers get lost when it is told so. What concerns routes, no more.
class FakeDirectory final : public memory::MemoryDirectory {
 public:
  FakeDirectory(Scheduler& scheduler, DirectoryLimits limits)
      : MemoryDirectory(scheduler, limits), scheduler_(scheduler) {}

  // It is done, but nobody hears of it.
  void Join(const RoomId& room, const Route& route, Generation generation, Deadline deadline,
            Callback<Result<JoinOutcome>> done) override {
    if (!failing) return MemoryDirectory::Join(room, route, generation, deadline, std::move(done));
    MemoryDirectory::Join(room, route, generation, deadline,
                          [done](const auto&) { done(DeadlineExceeded("lost")); });
  }
  // Never arrives.
  void Leave(const RoomId& room, const SessionId& session, const NodeName& node,
             Generation generation, Deadline deadline, Callback<Status> done) override {
    if (!failing) {
      return MemoryDirectory::Leave(room, session, node, generation, deadline, std::move(done));
    }
    scheduler_.Post([done] { done(DeadlineExceeded("lost")); });
  }
  void Routes(const RoomId& room, Generation generation, Deadline deadline,
              Callback<Result<RoomRoutes>> done) override {
    if (!failing) return MemoryDirectory::Routes(room, generation, deadline, std::move(done));
    scheduler_.Post([done] { done(DeadlineExceeded("lost")); });
  }

  bool failing = false;

 private:
  Scheduler& scheduler_;
};

// Nodes that share one directory, log and store in memory, on virtual time.
class FakeCluster {
 public:
  explicit FakeCluster(DirectoryLimits limits = {}) : directory(scheduler, limits) {
    options.directory = limits;
  }

  // `rooms`: its view of the room store; null: the store itself.
  ChatNode& AddNode(const std::string& name, RoomStore* rooms = nullptr) {
    auto own = options;
    own.name = NodeName(name);
    own.relay_address = name + ":1";
    const NodePorts ports{scheduler,      log,     nodes.empty() ? &log : nullptr,
                          directory,      store,   rooms != nullptr ? *rooms : room_store,
                          relay,          encoder, metrics,
                          recipient_tasks};
    nodes.push_back(std::make_unique<ChatNode>(own, ports));
    relay.receivers[own.name] = nodes.back().get();
    nodes.back()->Start();
    scheduler.Advance(std::chrono::milliseconds(10));
    return *nodes.back();
  }

  testing_support::ManualScheduler scheduler;
  NodeOptions options;
  FakeDirectory directory;
  memory::MemoryLog log{scheduler};
  memory::MemoryStore store{scheduler};
  memory::MemoryRoomStore room_store{scheduler};
  FakeRelay relay{scheduler};
  PlainEncoder encoder;
  MetricsRegistry registry;
  CoreMetrics metrics{registry};
  RecipientTasks* recipient_tasks = nullptr;  // of nodes that are added
  std::vector<std::unique_ptr<ChatNode>> nodes;
};

// One user's session on one node.
class FakeClient {
 public:
  FakeClient(FakeCluster& cluster, ChatNode& node, const std::string& user,
             std::optional<std::int64_t> token_issued_at_ms = std::nullopt)
      : cluster_(cluster),
        node_(node),
        id(std::get<SessionId>(node.OpenSession({UserId(user), token_issued_at_ms}, link))) {}

  std::optional<ClientResult<JoinReply>> Join(const std::string& room,
                                              std::optional<Seq> since = std::nullopt) {
    std::optional<ClientResult<JoinReply>> reply;
    node_.Join(id, RoomId(room), since, [&](ClientResult<JoinReply> got) { reply = got; });
    cluster_.scheduler.Advance(std::chrono::milliseconds(50));
    return reply;
  }

  // What the answer is after `wait`; empty while there is none.
  std::optional<ClientResult<Ack>> Send(const std::string& room, const std::string& cid,
                                        const std::string& body,
                                        Duration wait = std::chrono::milliseconds(50)) {
    auto reply = std::make_shared<std::optional<ClientResult<Ack>>>();
    node_.Send(id, {RoomId(room), ClientMessageId(cid), BodyKind::kText, body, false},
               [reply](ClientResult<Ack> got) { *reply = got; });
    cluster_.scheduler.Advance(wait);
    return *reply;
  }

  std::optional<ClientResult<HistoryPage>> History(HistoryRequest request) {
    std::optional<ClientResult<HistoryPage>> reply;
    node_.History(id, request, [&](ClientResult<HistoryPage> got) { reply = got; });
    cluster_.scheduler.Advance(std::chrono::milliseconds(50));
    return reply;
  }

  std::optional<ClientResult<WhoPage>> Who(WhoRequest request) {
    std::optional<ClientResult<WhoPage>> reply;
    node_.Who(id, std::move(request), [&](ClientResult<WhoPage> got) { reply = std::move(got); });
    cluster_.scheduler.Advance(std::chrono::milliseconds(50));
    return reply;
  }

  void Close() {
    node_.CloseSession(id);
    cluster_.scheduler.Advance(std::chrono::milliseconds(10));
  }

 private:
  FakeCluster& cluster_;
  ChatNode& node_;

 public:
  std::shared_ptr<FakeClientLink> link = std::make_shared<FakeClientLink>();
  SessionId id;
};

template <class T>
const T& Ok(const std::optional<ClientResult<T>>& reply) {
  CHECK(reply.has_value() && std::holds_alternative<T>(*reply));
  return std::get<T>(*reply);
}

template <class T>
ErrorCode CodeOf(const std::optional<ClientResult<T>>& reply) {
  CHECK(reply.has_value() && std::holds_alternative<ClientError>(*reply));
  return std::get<ClientError>(*reply).code;
}

}  // namespace minichat::core
