#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "loadtest/client/metrics_text.h"

namespace minichat::loadtest {

// One node, as its last scrapes show it.
struct NodeFigures {
  std::string name;
  bool up = false;
  double cpu_share = 0;  // of one core
  // Of the relay's executor (lab.dispatch: pool); 0 without one.
  double threads = 0;
  double active = 0;
  double queued = 0;
  double sessions = 0;
};

struct ClusterFigures {
  std::string mode = {};  // of all nodes; "mixed" when they differ, empty when none answers
  std::vector<NodeFigures> nodes = {};
  // Nothing without messages, or when a node did not answer.
  std::optional<double> tasks_per_message = {};
  std::optional<double> calls_per_message = {};
};

// What one node answered at one moment; nothing: it did not.
struct NodeScrape {
  std::string name;
  std::optional<MetricsSnapshot> metrics;
};

// Makes figures of scrapes that follow each other about once a second.
//
// Threading: thread-compatible.
// Limits:    keeps the last scrapes of kWindow.
class FiguresFromScrapes {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ClusterFigures Add(Time when, std::vector<NodeScrape> scrape);

 private:
  // Ratios are of so many seconds: messages and what they caused are not counted at one moment.
  static constexpr std::size_t kWindow = 3;

  struct Moment {
    Time when;
    std::vector<NodeScrape> nodes;
  };

  std::deque<Moment> moments_;
};

}  // namespace minichat::loadtest
