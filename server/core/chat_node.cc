#include "server/core/chat_node.h"

#include <algorithm>

#include "server/core/access_watch.h"
#include "server/core/head_sweeper.h"
#include "server/core/janitor.h"
#include "server/core/moderation.h"
#include "server/core/persister.h"
#include "server/core/presence_tracker.h"
#include "server/core/room_joiner.h"
#include "server/core/sender.h"
#include "server/core/typing_notices.h"
#include "server/core/who_reader.h"

namespace minichat::core {
namespace {

constexpr std::size_t kMaxHistoryPage = 200;
constexpr Duration kDrainLook = std::chrono::milliseconds(10);
// Twice as long as the log's source may hold records back.
constexpr Duration kLeaving = std::chrono::milliseconds(500);  // of a stop's time

ClientError NotMember(const RoomId& room) {
  return {ErrorCode::kNotMember, "this session has not joined " + room.value(), {}};
}

ClientError NoSession() {
  return {ErrorCode::kInternal, "the session is closed", {}};
}

}  // namespace

// The parts in the order in which they depend on each other; the tasks end first.
struct ChatNode::Impl {
  Impl(NodeOptions node_options, NodePorts node_ports)
      : options(std::move(node_options)), ports(node_ports) {}

  Task<Result<ReadPage>> ReadPageOf(HistoryRequest request, std::size_t limit);
  Task<void> ReadAnyRoom(HistoryRequest request, Callback<ClientResult<HistoryPage>> done);
  Task<void> ReadHistory(HistoryRequest request, Callback<ClientResult<HistoryPage>> done);
  // One of the reads under way.
  Task<void> Counted(Task<void> read);
  // Too many of them?
  std::optional<ClientError> RefusalOfRead() const;
  Task<void> StopTask(Deadline deadline, std::function<void()> done);
  Task<void> CloseRoutes(SessionId session, std::vector<RoomId> rooms);
  Task<void> SetMode(std::string mode, Callback<Result<RelayModeSetting>> done);
  void OnNotHere(const Event& event, const std::vector<SessionId>& recipients,
                 const std::vector<RelayResult>& results);

  const NodeOptions options;
  const NodePorts ports;
  TaskScope tasks;
  NodeContext node{options, ports, tasks};
  Membership membership{node};
  RoomReader reader{node, membership};
  RoomTable rooms{node, membership, reader};
  RoomAccess access{node};
  RouteDropper dropper{node, membership, rooms};
  RoomJoiner joiner{node, membership, access, reader, rooms, dropper};
  AccessWatch access_watch{node, membership, access, rooms, dropper};
  FanOut fan_out{node, membership, rooms};
  Placer placer{node, membership, reader};
  HangDetector hang{node};
  Sender sender{node, membership, placer, fan_out, hang};
  RowWriter writer{node, membership};
  Persister persister{node, membership, placer, fan_out, writer};
  Janitor janitor{node, membership, writer};
  PresenceTracker presence{node, membership, rooms};
  WhoReader who{node, membership, presence};
  TypingNotices typing{node, rooms, presence};
  HeadSweeper sweeper{node, membership, reader, rooms, presence};
  Moderation moderation{node, membership, access, rooms, sender};
  std::function<void()> on_name_taken;
  std::size_t reads = 0;  // of history, under way
  bool stopping = false;
};

ChatNode::ChatNode(NodeOptions options, NodePorts ports)
    : impl_(std::make_unique<Impl>(std::move(options), ports)) {}

ChatNode::~ChatNode() {
  impl_->tasks.Clear();
}

void ChatNode::Start() {
  Impl& impl = *impl_;
  Membership::Hooks hooks;
  hooks.on_generation = [&impl] {
    impl.rooms.OnGeneration();
    impl.presence.OnGeneration();
  };
  hooks.local_routes = [&impl] { return impl.rooms.Routes(); };
  hooks.on_sweep_due = [&impl] { impl.sweeper.Kick(); };
  hooks.on_name_taken = [&impl] {
    for (const SessionPtr& session : impl.rooms.sessions()) session->link->CloseForRestart();
    if (impl.on_name_taken) impl.on_name_taken();
  };
  hooks.on_access_version = [&impl](std::uint64_t v) { impl.access_watch.OnVersion(v); };
  impl.membership.Start(std::move(hooks));
  impl.sweeper.Start();
  impl.janitor.Start();
  impl.hang.Start([&impl] { impl.sweeper.Kick(); });
  if (impl.ports.source != nullptr) impl.ports.source->Start(impl.persister);
}

void ChatNode::Stop(Deadline deadline, std::function<void()> done) {
  if (std::exchange(impl_->stopping, true)) return;
  impl_->tasks.Spawn(impl_->StopTask(deadline, std::move(done)));
}

Task<void> ChatNode::Impl::StopTask(Deadline deadline, std::function<void()> done) {
  while (sender.waiting() > 0 && !deadline.Passed(node.now())) {
    co_await Sleep(node.scheduler(), kDrainLook);
  }
  co_await janitor.StoreWhatIsLeft(deadline.end() - kLeaving);
  if (ports.source != nullptr) ports.source->Stop();
  co_await membership.Leave(deadline);
  done();
}

void ChatNode::OnNameTaken(std::function<void()> handler) {
  impl_->on_name_taken = std::move(handler);
}

bool ChatNode::ready() const {
  return lacking().empty();
}

std::vector<std::string> ChatNode::lacking() const {
  std::vector<std::string> lacking;
  if (impl_->stopping) lacking.push_back("stopping");
  if (!impl_->ports.directory.connected()) lacking.push_back("redis");
  if (!impl_->ports.log.available()) lacking.push_back("kafka");
  if (!impl_->ports.store.available()) lacking.push_back("postgres");
  if (!impl_->membership.ready() && lacking.empty()) lacking.push_back("name");
  return lacking;
}

const NodeEntry& ChatNode::self() const {
  return impl_->membership.self();
}

const std::vector<NodeEntry>& ChatNode::live_nodes() const {
  return impl_->membership.live_nodes();
}

ClientResult<SessionId> ChatNode::OpenSession(SessionOwner owner,
                                              std::shared_ptr<ClientLink> link) {
  if (owner.token_issued_at_ms) {
    auto refusal = impl_->access_watch.RefusalOf(owner.user, *owner.token_issued_at_ms);
    if (refusal) return std::move(*refusal);
  }
  const bool full = impl_->options.outbound_full && impl_->options.outbound_full();
  if (full) {
    return ClientError{ErrorCode::kOverloaded,
                       "hello: too much waits to be sent to clients of this node", 1000};
  }
  const SessionPtr session = impl_->rooms.OpenSession(std::move(owner), std::move(link));
  if (session) return session->id;
  return ClientError{
      ErrorCode::kOverloaded, "hello: this node has as many sessions as it takes", {}};
}

std::optional<ClientError> ChatNode::RenewSession(const SessionId& id, std::int64_t issued_at_ms) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return NoSession();
  auto refusal = impl_->access_watch.RefusalOf(session->user, issued_at_ms);
  if (!refusal) session->token_issued_at_ms = issued_at_ms;
  return refusal;
}

void ChatNode::CloseSession(const SessionId& id) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return;
  std::vector<RoomId> rooms = impl_->rooms.CloseSession(session);
  if (!rooms.empty()) impl_->tasks.Spawn(impl_->CloseRoutes(id, std::move(rooms)));
}

Task<void> ChatNode::Impl::CloseRoutes(SessionId session, std::vector<RoomId> closed) {
  for (const RoomId& room : closed) co_await dropper.Drop(room, session);
}

void ChatNode::OnDrained(const SessionId& id) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return;
  for (const RoomId& room : session->rooms) {
    if (const auto sequencer = impl_->rooms.Find(room)) {
      sequencer->CatchUp(id, PullCause::kResume);
    }
  }
}

std::size_t ChatNode::session_count() const {
  return impl_->rooms.session_count();
}

void ChatNode::Join(const SessionId& id, const RoomId& room, std::optional<Seq> since,
                    Callback<ClientResult<JoinReply>> done) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return done(NoSession());
  impl_->tasks.Spawn(impl_->joiner.Join(session, room, since, std::move(done)));
}

void ChatNode::Resume(const SessionId& id, std::vector<std::pair<RoomId, Seq>> rooms,
                      Callback<std::vector<ClientResult<JoinReply>>> done) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return;
  impl_->tasks.Spawn(impl_->joiner.Resume(session, std::move(rooms), std::move(done)));
}

void ChatNode::Leave(const SessionId& id, const RoomId& room, Callback<ClientResult<RoomId>> done) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return done(NoSession());
  if (session->rooms.count(room) == 0 && !session->turns.busy(room)) return done(NotMember(room));
  impl_->tasks.Spawn(impl_->joiner.Leave(session, room, std::move(done)));
}

void ChatNode::Send(const SessionId& id, SendRequest request, Callback<ClientResult<Ack>> done) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return done(NoSession());
  if (session->rooms.count(request.room) == 0) return done(NotMember(request.room));
  impl_->sender.Send(session->user, std::move(request), std::move(done));
}

void ChatNode::History(const SessionId& id, HistoryRequest request,
                       Callback<ClientResult<HistoryPage>> done) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return done(NoSession());
  if (session->rooms.count(request.room) == 0) return done(NotMember(request.room));
  if (auto refusal = impl_->RefusalOfRead()) return done(std::move(*refusal));
  impl_->tasks.Spawn(impl_->Counted(impl_->ReadHistory(std::move(request), std::move(done))));
}

void ChatNode::Who(const SessionId& id, WhoRequest request, Callback<ClientResult<WhoPage>> done) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return done(NoSession());
  if (session->rooms.count(request.room) == 0) return done(NotMember(request.room));
  impl_->tasks.Spawn(impl_->who.Read(std::move(request), std::move(done)));
}

std::optional<ClientError> ChatNode::SetTyping(const SessionId& id, const RoomId& room) {
  const SessionPtr session = impl_->rooms.FindSession(id);
  if (!session) return NoSession();
  if (session->rooms.count(room) == 0) return NotMember(room);
  impl_->typing.Send(*session, room);
  return std::nullopt;
}

void ChatNode::ReadRoom(HistoryRequest request, Callback<ClientResult<HistoryPage>> done) {
  if (auto refusal = impl_->RefusalOfRead()) return done(std::move(*refusal));
  impl_->tasks.Spawn(impl_->Counted(impl_->ReadAnyRoom(std::move(request), std::move(done))));
}

Task<void> ChatNode::Impl::ReadAnyRoom(HistoryRequest request,
                                       Callback<ClientResult<HistoryPage>> done) {
  auto refusal = co_await moderation.RefusalOf(request.room);
  if (refusal) {
    done(std::move(*refusal));
    co_return;
  }
  co_await ReadHistory(std::move(request), std::move(done));
}

Task<void> ChatNode::Impl::Counted(Task<void> read) {
  node.metrics().waiting_reads.Set(static_cast<double>(++reads));
  co_await std::move(read);
  node.metrics().waiting_reads.Set(static_cast<double>(--reads));
}

std::optional<ClientError> ChatNode::Impl::RefusalOfRead() const {
  if (reads < options.max_waiting_reads) return std::nullopt;
  return ClientError{ErrorCode::kOverloaded, "too many reads are waiting on this node", 1000};
}

Moderation& ChatNode::moderation() {
  return impl_->moderation;
}

// Not one conditional expression: g++ 12 miscompiles co_await in its branches.
Task<Result<ReadPage>> ChatNode::Impl::ReadPageOf(HistoryRequest request, std::size_t limit) {
  if (request.after)
    co_return co_await reader.ReadAfter(request.room, *request.after, limit, nullptr);
  co_return co_await reader.ReadBefore(request.room, request.before.value_or(kMaxSeq), limit);
}

Task<void> ChatNode::Impl::ReadHistory(HistoryRequest request,
                                       Callback<ClientResult<HistoryPage>> done) {
  const std::size_t limit = std::clamp<std::size_t>(request.limit, 1, kMaxHistoryPage);
  // One more than asked tells whether there are more.
  auto read = co_await ReadPageOf(request, limit + 1);
  if (!read.ok()) {
    done(ClientError{ErrorCode::kUnavailable, "history can't be read now", 1000});
    co_return;
  }
  HistoryPage page;
  page.messages = std::move(read->messages);
  if (page.messages.size() > limit) {
    if (request.after) {
      page.messages.pop_back();
      page.next = page.messages.back().place.seq;
    } else {
      page.messages.erase(page.messages.begin());
      page.next = page.messages.front().place.seq;
    }
  }
  done(std::move(page));
}

std::vector<RelayResult> ChatNode::OnRelayed(const Incarnation& target, EventPtr event,
                                             const std::vector<SessionId>& recipients) {
  std::vector<RelayResult> nobody(recipients.size(), RelayResult::kNotHere);
  if (target != impl_->membership.self().incarnation) return nobody;
  if (impl_->options.rules.relaygen && event->place.generation != impl_->membership.generation()) {
    return nobody;
  }
  const auto sequencer = impl_->rooms.Find(event->room);
  auto results = sequencer ? sequencer->OnRelayedEvent(event, recipients) : nobody;
  impl_->OnNotHere(*event, recipients, results);
  return results;
}

void ChatNode::OnTyping(const Incarnation& target, const Typing& typing) {
  if (target == impl_->membership.self().incarnation) impl_->typing.OnRelayed(typing);
}

// A session that is gone or has left, but whose route stayed (the directory was away just then).
// One that is joining right now has its route already and is not here yet: it pulls the event then.
void ChatNode::Impl::OnNotHere(const Event& event, const std::vector<SessionId>& recipients,
                               const std::vector<RelayResult>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] != RelayResult::kNotHere) continue;
    const SessionPtr session = rooms.FindSession(recipients[i]);
    if (session && session->turns.busy(event.room)) {
      if (options.rules.early) session->turns.NoteEarly(event.room, event.place.seq);
    } else if (!session || session->rooms.count(event.room) == 0) {
      tasks.Spawn(dropper.DropInTurn(event.room, recipients[i]));
    }
  }
}

void ChatNode::SetRelayMode(const std::string& mode, Callback<Result<RelayModeSetting>> done) {
  impl_->tasks.Spawn(impl_->SetMode(mode, std::move(done)));
}

Task<void> ChatNode::Impl::SetMode(std::string mode, Callback<Result<RelayModeSetting>> done) {
  auto setting = co_await DirectoryCall<Result<RelayModeSetting>>(
      node, membership, LinkUse::kServing, [&](Deadline deadline, auto reply) {
        ports.directory.SetRelayMode(mode, deadline, std::move(reply));
      });
  if (setting.ok()) ports.relay.OnClusterMode(setting.value());
  done(std::move(setting));
}

}  // namespace minichat::core
