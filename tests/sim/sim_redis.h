#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/base/deadline.h"
#include "server/base/status.h"
#include "storage/memory/directory_state.h"

namespace minichat::sim {

class SimNode;
class SimWorld;

// A Redis server: DirectoryState, a run id, and the ways in which it can be away.
class SimRedis {
 public:
  // One call that is under way to it. `execute` runs the script and keeps its reply, `finish` hands
  // that reply (OK) or the failure to the caller; only the first `finish` counts.
  struct Call {
    SimNode* node = nullptr;
    const char* script = "";
    std::string run_id;  // of the connection; empty: it is only being made
    std::function<void(SimRedis&)> execute;
    std::function<void(Status)> finish;
    TimePoint deadline;
  };

  SimRedis(SimWorld& world, int boot);

  void Arrive(const std::shared_ptr<Call>& call);

  // Faults.
  void Crash();
  void Restart(const memory::DirectoryState* snapshot);  // null: empty
  void Flush();
  void Stall() { stalled_ = true; }
  void Unstall();
  void GoAway() { up_ = false; }
  void Load(const memory::DirectoryState& snapshot) { state_ = snapshot; }

  bool up() const { return up_; }
  bool stalled() const { return stalled_; }
  int boot() const { return boot_; }
  const std::string& run_id() const { return run_id_; }
  memory::DirectoryState& state() { return state_; }
  const memory::DirectoryState& state() const { return state_; }

 private:
  void Reply(const std::shared_ptr<Call>& call, const std::string& executed_by);
  memory::DirectoryState EmptyState() const;

  SimWorld& world_;
  bool up_ = true;
  bool stalled_ = false;
  int boot_;
  std::string run_id_;
  memory::DirectoryState state_;
  std::vector<std::shared_ptr<Call>> waiting_;  // while it stalls
};

}  // namespace minichat::sim
