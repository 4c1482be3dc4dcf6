#include "server/core/membership.h"

#include <algorithm>
#include <cstdio>

#include "server/core/calls.h"

namespace minichat::core {
namespace {

constexpr Duration kConnectPause = std::chrono::milliseconds(200);
constexpr Duration kRefreshPause = std::chrono::milliseconds(200);

std::string Hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

bool Contains(const std::vector<NodeEntry>& nodes, const NodeEntry& wanted) {
  return std::find(nodes.begin(), nodes.end(), wanted) != nodes.end();
}

}  // namespace

Membership::Membership(NodeContext& node) : node_(node), boot_(Hex(node.scheduler().Random())) {
  self_.name = node.options.name;
  self_.relay_address = node.options.relay_address;
}

Membership::~Membership() {
  node_.ports.directory.SetListener(nullptr);
}

void Membership::Start(Hooks hooks) {
  hooks_ = std::move(hooks);
  node_.ports.directory.SetListener(this);
  node_.tasks.Spawn(ConnectLoop());
  node_.tasks.Spawn(BeatLoop());
}

Task<void> Membership::Leave(Deadline deadline) {
  leaving_ = true;
  if (!ready_) co_return;
  ready_ = false;
  const NodeIdentity identity{self_, generation()};
  Completion<Status> reply(node_.scheduler());
  node_.ports.directory.Unregister(identity, deadline, reply.callback());
  co_await reply.WaitUntil(deadline.end());
}

bool Membership::IsLive(const NodeName& name, const Incarnation& incarnation) const {
  return std::any_of(live_nodes_.begin(), live_nodes_.end(), [&](const NodeEntry& entry) {
    return entry.name == name && entry.incarnation == incarnation;
  });
}

void Membership::RegisterAnew() {
  ++registrations_;
  ready_ = false;
}

void Membership::OnFenced() {
  node_.metrics().fenced.Increment();
  Doubt();
}

void Membership::OnLaterGeneration(Generation named) {
  latest_named_ = std::max(latest_named_, named);
  Doubt();
}

void Membership::Doubt() {
  if (!node_.rules().doubt) return;
  if (!doubted_) doubted_since_ = node_.now();
  doubted_ = true;
  ready_ = false;
  log::Warn("generation_not_current", {{"generation", generation()}});
}

void Membership::OnDirectoryLost() {
  ++link_epoch_;
  if (ready_) log::Warn("directory_lost");
  ready_ = false;
}

Task<void> Membership::ConnectLoop() {
  // The first try at once: a standalone node is ready before anyone can ask.
  while (!leaving_) {
    if (!ready_) {
      const Status status = co_await Establish();
      if (!status.ok() && status.ToString() != last_trouble_) {
        last_trouble_ = status.ToString();
        log::Warn("not_ready", {{"why", last_trouble_}});
      }
    }
    co_await Sleep(node_.scheduler(), node_.Jittered(kConnectPause, 0.2));
  }
}

Task<Status> Membership::Establish() {
  ++link_epoch_;
  auto connected = co_await DirectoryCall<Result<std::string>>(
      node_, *this, LinkUse::kEstablishing, [this](Deadline deadline, auto done) {
        node_.ports.directory.Connect(deadline, std::move(done));
      });
  if (!connected.ok()) co_return connected.status();
  const std::uint64_t epoch = link_epoch_;
  auto mark = co_await AgreeOnGeneration(connected.value());
  if (!mark.ok()) co_return mark.status();
  doubted_ = false;
  Adopt(mark.value());
  const Status named = co_await TakeName();
  if (!named.ok()) co_return named;
  const Status routed = co_await RegisterRoutes();
  if (!routed.ok()) co_return routed;
  if (epoch != link_epoch_) co_return Unavailable("directory: the link was lost");
  if (leaving_) co_return Unavailable("this node is leaving");
  ready_ = true;
  ready_since_ = node_.now();
  last_trouble_.clear();
  log::Info("node_ready", {{"node", self_.name.value()},
                           {"incarnation", self_.incarnation.value()},
                           {"generation", generation()}});
  co_await Beat();  // who is ready knows its peers
  hooks_.on_sweep_due();
  co_return Status();
}

Task<Result<GenerationMark>> Membership::AgreeOnGeneration(std::string run_id) {
  auto mark = co_await DirectoryCall<Result<GenerationMark>>(
      node_, *this, LinkUse::kEstablishing, [this](Deadline deadline, auto done) {
        node_.ports.directory.GetGeneration(deadline, std::move(done));
      });
  if (!mark.ok()) co_return mark.status();
  auto anew = co_await NeedsNewGeneration(mark.value());
  if (!anew.ok()) co_return anew.status();
  if (!anew.value()) co_return mark;
  auto number = co_await StoreCall<Result<Generation>>(node_, [&](Deadline deadline, auto done) {
    node_.ports.store.NextGeneration(run_id, deadline, std::move(done));
  });
  if (!number.ok()) co_return number.status();
  co_return co_await DirectoryCall<Result<GenerationMark>>(
      node_, *this, LinkUse::kEstablishing, [&](Deadline deadline, auto done) {
        node_.ports.directory.SetGeneration(number.value(), mark.value(), deadline,
                                            std::move(done));
      });
}

Task<Result<bool>> Membership::NeedsNewGeneration(GenerationMark mark) {
  if (mark.number == 0) co_return true;
  const bool anew = node_.rules().monotone && mark.number < generation();
  if (!doubted_) co_return anew;
  auto current =
      co_await StoreCall<Result<Generation>>(node_, [this](Deadline deadline, auto done) {
        node_.ports.store.CurrentGeneration(deadline, std::move(done));
      });
  if (!current.ok()) co_return current.status();
  // A later one that a record names may be gone without having become current.
  if (current.value() == mark.number && mark.number >= latest_named_) co_return anew;
  if (node_.now() - doubted_since_ > node_.options.doubt) co_return true;
  co_return Aborted("this directory's generation is not the current one");
}

void Membership::Adopt(const GenerationMark& mark) {
  const bool changed = mark.number != generation_.number;
  generation_ = mark;
  if (changed) {
    hooks_.on_generation();
    log::Info("generation_adopted", {{"generation", mark.number}, {"run_id", mark.run_id}});
  }
  self_.incarnation =
      Incarnation(self_.name.value() + "." + boot_ + "." + std::to_string(generation()) + "." +
                  std::to_string(registrations_));
}

Task<Status> Membership::TakeName() {
  const NodeIdentity identity{self_, generation()};
  auto taken = co_await DirectoryCall<Result<RegisterOutcome>>(
      node_, *this, LinkUse::kEstablishing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Register(identity, deadline, std::move(done));
      });
  if (!taken.ok()) co_return taken.status();
  if (taken.value() == RegisterOutcome::kOk || !node_.rules().nameready) co_return Status();
  co_return FailedPrecondition("the node name " + self_.name.value() + " is taken by a live node");
}

Task<Status> Membership::RegisterRoutes() {
  const auto by_room = hooks_.local_routes();
  for (const auto& entry : by_room) {
    const Status status = co_await DirectoryCall<Status>(
        node_, *this, LinkUse::kEstablishing, [&](Deadline deadline, auto done) {
          node_.ports.directory.Reroute(entry.first, entry.second, generation(), deadline,
                                        std::move(done));
        });
    if (!status.ok()) co_return status;
  }
  co_return Status();
}

Task<void> Membership::BeatLoop() {
  while (!leaving_) {
    if (ready_) co_await Beat();
    co_await Sleep(node_.scheduler(), node_.Jittered(node_.options.directory.heartbeat, 0.1));
  }
}

Task<void> Membership::Beat() {
  last_beat_ = node_.now();
  const NodeIdentity identity{self_, generation()};
  auto reply = co_await DirectoryCall<Result<HeartbeatReply>>(
      node_, *this, LinkUse::kServing, [&](Deadline deadline, auto done) {
        node_.ports.directory.Heartbeat(identity, deadline, std::move(done));
      });
  const bool still_own = identity.entry.incarnation == self_.incarnation;
  if (reply.ok() && still_own) OnBeat(std::move(reply).value());
}

Task<void> Membership::Refresh() {
  if (node_.now() - last_beat_ < kRefreshPause) co_return;
  co_await Beat();
}

void Membership::OnBeat(HeartbeatReply reply) {
  if (leaving_) return;
  if (reply.outcome == HeartbeatReply::Outcome::kTaken) {
    log::Error("name_taken", {{"node", self_.name.value()}});
    ready_ = false;
    leaving_ = true;
    hooks_.on_name_taken();
    return;
  }
  if (reply.outcome == HeartbeatReply::Outcome::kGone) {
    if (!node_.rules().rereg) return;
    log::Warn("entry_vanished", {{"node", self_.name.value()}});
    return RegisterAnew();
  }
  bool lost_one = false;
  for (const NodeEntry& old : live_nodes_) {
    if (Contains(reply.live_nodes, old)) continue;
    lost_one = true;
    log::Info("peer_down", {{"peer", old.name.value()}});
  }
  for (const NodeEntry& entry : reply.live_nodes) {
    if (!Contains(live_nodes_, entry)) log::Info("peer_up", {{"peer", entry.name.value()}});
  }
  if (live_nodes_ != reply.live_nodes) ++live_epoch_;
  live_nodes_ = std::move(reply.live_nodes);
  std::vector<NodeEntry> peers;
  std::copy_if(live_nodes_.begin(), live_nodes_.end(), std::back_inserter(peers),
               [this](const NodeEntry& entry) { return entry.name != self_.name; });
  node_.ports.relay.SetPeers(std::move(peers));
  node_.ports.relay.OnClusterMode(reply.relay_mode);
  hooks_.on_access_version(reply.access_version);
  if (lost_one) hooks_.on_sweep_due();
}

}  // namespace minichat::core
