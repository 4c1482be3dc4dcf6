#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/base/task.h"
#include "server/core/ids.h"
#include "tests/sim/sim_options.h"
#include "tests/sim/sim_scheduler.h"

namespace minichat::core {
struct CoreMetrics;
}

namespace minichat::sim {

class Faults;
class Observer;
class SimClient;
class SimKafka;
class SimNode;
class SimRedis;
class SimStoreServer;

// One run: three nodes, their services, six clients, what goes wrong, and who watches.
//
// Threading: confined to one thread; several worlds may run in several threads.
class SimWorld {
 public:
  SimWorld(const SimOptions& options, core::CoreMetrics& metrics);
  ~SimWorld();

  void Run();

  // The run's result.
  Observer& observer() { return *observer_; }
  const std::vector<std::string>& trace() const { return trace_; }

  // For the parts of the world.
  const SimOptions& options() const { return options_; }
  Timeline& timeline() { return timeline_; }
  Random& random() { return timeline_.random(); }
  double now() const { return timeline_.seconds(); }
  Scheduler& scheduler() { return scheduler_; }
  Task<void> Sleep(double seconds) { return minichat::Sleep(scheduler_, Seconds(seconds)); }
  void Spawn(Task<void> task) { tasks_.Spawn(std::move(task)); }
  core::CoreMetrics& metrics() { return metrics_; }
  // One way through the network.
  Duration Net();
  // A named step was reached ("commit", "sent"): a fault may be armed for it.
  void Hit(std::string_view step, std::string_view phase, SimNode* node);
  bool tracing() const { return options_.trace; }
  void Trace(const std::string& line);

  const std::vector<core::RoomId>& rooms() const { return rooms_; }
  std::vector<std::unique_ptr<SimNode>>& nodes() { return nodes_; }
  SimNode* FindNode(const core::NodeName& name);
  std::vector<std::unique_ptr<SimClient>>& clients() { return clients_; }
  SimRedis& redis() { return *redis_; }  // the one that is in force
  void SetRedis(SimRedis* redis) { redis_ = redis; }
  SimRedis* NewRedis(int boot);
  SimStoreServer& store() { return *store_; }
  SimKafka& kafka() { return *kafka_; }
  Faults& faults() { return *faults_; }
  bool bulk() const { return bulk_; }
  bool IsSilent(const core::RoomId& room) const;
  double think() const { return think_; }
  bool jittery() const { return jittery_; }

 private:
  Task<void> ChangeModes();
  Task<void> MakeSilences();
  Task<void> Watch();
  void Finale();

  SimOptions options_;
  core::CoreMetrics& metrics_;
  Timeline timeline_;
  SimScheduler scheduler_{timeline_};  // of what is not a node
  std::vector<std::string> trace_;
  std::vector<core::RoomId> rooms_;
  std::map<core::RoomId, double> silent_until_;
  double think_ = 0;
  double jitter_ = 0;
  bool slow_ = false;
  bool jittery_ = false;
  bool bulk_ = true;

  std::unique_ptr<Observer> observer_;
  std::vector<std::unique_ptr<SimRedis>> redises_;
  SimRedis* redis_ = nullptr;
  std::unique_ptr<SimStoreServer> store_;
  std::unique_ptr<SimKafka> kafka_;
  std::unique_ptr<Faults> faults_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::vector<std::unique_ptr<SimClient>> clients_;
  TaskScope tasks_;  // first to end: its tasks use all of the above
};

}  // namespace minichat::sim
