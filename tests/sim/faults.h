#pragma once

#include <list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/base/task.h"
#include "storage/memory/directory_state.h"

namespace minichat::sim {

class SimNode;
class SimRedis;
class SimWorld;

// What goes wrong, by seed: at random times, and armed at named steps.
class Faults {
 public:
  explicit Faults(SimWorld& world) : world_(world) {}

  // What `mixed` mixes, and `all` is.
  static const std::vector<std::string>& Kinds();
  // Does --faults take it? Some kinds are only in weather of their own.
  static bool IsKind(const std::string& kind);

  void Start();
  void Hit(std::string_view step, std::string_view phase, SimNode* node);
  bool IsCut(const SimNode& a, const SimNode& b) const;
  // No fault was on between the two moments, nor jitter.
  bool WasQuiet(double from, double to) const;

 private:
  struct Armed {
    std::string step;
    std::string phase;
    int countdown;
    std::vector<std::string> kinds;
  };

  Task<void> Chaos();
  void Arm(std::vector<std::string> kinds);
  void Fire(std::list<Armed>::iterator armed, SimNode* node);
  void Inject(const std::string& kind, SimNode* node);
  // Each answers for how many seconds it is on.
  double Begin(const std::string& kind, SimNode& node);
  double CrashNode(SimNode& node);
  double HangNode(SimNode& node, double seconds);
  double StallRedis();
  double LoseRedis(bool to_snapshot);
  double FlushRedis();
  double SplitRedis(SimNode& node);
  double CutFromRedis(SimNode& node);
  double BreakKafka();
  double BreakPostgres();
  double SlowReads();
  double LagPersisters();
  double CutRelay();
  double CrashWipeAndSlow(SimNode& node);

  SimWorld& world_;
  std::list<Armed> armed_;
  std::list<Armed> fired_;  // keeps the timers' iterators valid
  std::vector<std::pair<double, double>> windows_;
  std::set<std::pair<const SimNode*, const SimNode*>> cuts_;
};

}  // namespace minichat::sim
