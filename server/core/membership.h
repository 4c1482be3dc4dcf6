#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/core/node_context.h"

namespace minichat::core {

// A node's standing in the cluster: its link to the directory, the generation it lives in, its name
// and incarnation, and who else is alive. Ready means: all of these agree, and its rooms are
// registered.
//
// Lifetime:  owned by ChatNode. Threading: confined to the core scheduler's thread.
// Errors:    whatever fails is tried again by the connect loop; meanwhile the node isn't ready.
class Membership final : public RoomDirectory::Listener {
 public:
  // How the rest of the node takes part in a change of standing.
  struct Hooks {
    // A new generation was adopted: rings are emptied, sessions remember what they had.
    std::function<void()> on_generation;
    // The routes of all local sessions, by room, for a new incarnation.
    std::function<std::vector<std::pair<RoomId, std::vector<Route>>>()> local_routes;
    // Ready, or a peer was lost: look for what was missed.
    std::function<void()> on_sweep_due;
    std::function<void()> on_name_taken;
    // At each beat: the version of the cluster's latest access change.
    std::function<void(std::uint64_t)> on_access_version;
  };

  explicit Membership(NodeContext& node);
  ~Membership() override;

  void Start(Hooks hooks);
  // No more beats; the entry is removed if the directory can be reached.
  Task<void> Leave(Deadline deadline);

  bool ready() const { return ready_; }
  Generation generation() const { return generation_.number; }
  const NodeEntry& self() const { return self_; }
  const std::vector<NodeEntry>& live_nodes() const { return live_nodes_; }
  bool IsLive(const NodeName& name, const Incarnation& incarnation) const;
  // Changes with live_nodes(); never 0.
  std::uint64_t live_epoch() const { return live_epoch_; }
  // When this node last became ready.
  TimePoint ready_since() const { return ready_since_; }
  // Changes whenever the link is lost or given up: replies to calls made before count as lost.
  std::uint64_t link_epoch() const { return link_epoch_; }

  // Asks again who is alive, at most every 200 ms: for a route to a node that isn't known yet.
  Task<void> Refresh();

  // Something has changed that this node's next beat tells it.
  void BeatNow() { node_.tasks.Spawn(Beat()); }

  // Becomes another incarnation: whatever this one has in the directory is a dead node's.
  void RegisterAnew();
  // Postgres refused this generation: stop serving until it is current.
  void OnFenced();
  // A log record names a later generation than this node's: stop serving until this is known to be
  // the one in force, or a new one is agreed.
  void OnLaterGeneration(Generation named);
  // The directory says that this generation is over.
  void LoseReady() { ready_ = false; }

 private:
  void OnDirectoryLost() override;
  void Doubt();
  Task<void> ConnectLoop();
  Task<Status> Establish();
  Task<Result<GenerationMark>> AgreeOnGeneration(std::string run_id);
  Task<Result<bool>> NeedsNewGeneration(GenerationMark mark);
  void Adopt(const GenerationMark& mark);
  Task<Status> TakeName();
  Task<Status> RegisterRoutes();
  Task<void> BeatLoop();
  Task<void> Beat();
  void OnBeat(HeartbeatReply reply);

  NodeContext& node_;
  Hooks hooks_;
  GenerationMark generation_;
  NodeEntry self_;
  std::vector<NodeEntry> live_nodes_;
  const std::string boot_;  // tells two lives of the process apart
  std::uint64_t registrations_ = 0;
  std::uint64_t link_epoch_ = 1;
  std::uint64_t live_epoch_ = 1;
  TimePoint last_beat_{};
  TimePoint ready_since_{};
  bool ready_ = false;
  bool leaving_ = false;
  bool doubted_ = false;
  TimePoint doubted_since_{};
  Generation latest_named_ = 0;
  std::string last_trouble_;  // logged once until it changes
};

}  // namespace minichat::core
