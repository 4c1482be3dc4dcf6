#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/core/chat_node.h"
#include "tests/sim/sim_scheduler.h"

namespace minichat::sim {

class SimLink;
class SimRedis;
class SimWorld;

// A machine that runs one ChatNode after the other under one name. The real core, with simulated
// services around it.
class SimNode {
 public:
  SimNode(SimWorld& world, core::NodeName name, SimRedis& redis);
  ~SimNode();

  void Start();
  // Call it from an event of the world, never from within the node's own code.
  void Crash();
  void Restart();  // unless it lives
  void Hang();
  void Wake(std::uint64_t epoch);  // unless that life is over

  const core::NodeName& name() const { return name_; }
  bool alive() const { return alive_; }
  bool hung() const;
  std::uint64_t epoch() const { return lives_.size(); }  // counts the lives
  core::ChatNode& chat();

  // Something arrives for the present life, if there is one. See SimScheduler::Arrive().
  void Arrive(Scheduler::Work work, std::uint64_t stream = 0);
  // A client connected: it hears of the node's death.
  void AddLink(std::shared_ptr<SimLink> link) { links_.push_back(std::move(link)); }

  // The Redis that this node talks to, and the wire to it.
  SimRedis& redis() { return *redis_; }
  void SetRedis(SimRedis& redis) { redis_ = &redis; }
  bool redis_link() const { return redis_link_; }
  void SetRedisLink(bool up) { redis_link_ = up; }
  void LoseRedis(const std::string& run_id);  // its connection to that server breaks
  std::string redis_run_id() const;           // of the connection; empty: none
  core::Generation JoinGeneration(const core::SessionId& session, const core::RoomId& room) const;

 private:
  struct Life;

  SimWorld& world_;
  const core::NodeName name_;
  SimRedis* redis_;
  bool redis_link_ = true;
  bool alive_ = false;
  std::vector<std::unique_ptr<Life>> lives_;  // also past ones: late events come to them
  std::vector<std::shared_ptr<SimLink>> links_;
};

}  // namespace minichat::sim
