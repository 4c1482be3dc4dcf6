#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "loadtest/live/cluster_figures.h"
#include "loadtest/live/live_settings.h"
#include "loadtest/load/load_series.h"
#include "server/base/mutex.h"

namespace minichat::loadtest {

// The totals of live load since its start.
struct LiveCounts {
  std::uint64_t sent = 0;
  std::uint64_t acked = 0;
  std::map<std::string, std::uint64_t> errors = {};  // answers that were no ack, by code
  std::uint64_t received = 0;
  std::uint64_t lost = 0;  // skipped in a room's numbers and not come since
  std::uint64_t repeated = 0;
  std::uint64_t misordered = 0;
  std::uint64_t late_sends = 0;
  std::uint64_t broken_connections = 0;  // that ended by themselves
  std::size_t behind = 0;                // members that lack what others have had for seconds
  std::size_t joined = 0;                // members that are in the room now
};

// Of the deliveries of the last seconds.
struct LiveLatency {
  double p50_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
  double max_ms = 0;
};

struct LiveSecond {
  std::int64_t at_ms = 0;  // since 1970, its end
  LiveSettings settings;   // at its end
  LoadSecond load;
  ClusterFigures cluster;
};

// What the control port shows.
struct LiveView {
  LiveSettings settings;
  std::string mode_error;  // why the last wanted mode could not be set; empty: it was
  LiveCounts counts;
  LiveLatency latency;
  std::vector<LiveSecond> seconds;
};

// Where the threads of live load meet: the control port leaves what is wanted, the generator and
// the watch of the cluster leave what they saw.
//
// Threading: thread-safe.
// Limits:    keeps the last kSeconds seconds.
class LiveBoard {
 public:
  static constexpr std::size_t kSeconds = 300;

  LiveBoard(const LiveSettings& settings, std::size_t max_members)
      : max_members_(max_members), settings_(settings) {}

  std::size_t max_members() const { return max_members_; }
  LiveSettings settings() const;
  // Parses and takes a change; a refused one changes nothing. See ParseLiveChange().
  Status Change(std::string_view body);

  void SetFigures(ClusterFigures figures);
  // Ends a second: the newest figures of the cluster go with it.
  void AddSecond(const LoadSecond& second, const LiveCounts& counts, const LiveLatency& latency);
  // With the seconds that ended after `since_ms`.
  LiveView View(std::int64_t since_ms) const;

  // Waits until a mode is wanted, Close() was called or the time is over. The mode, or empty.
  std::string AwaitMode(std::chrono::milliseconds limit);
  void SetModeError(const std::string& error);
  void Close();
  bool closed() const;

 private:
  const std::size_t max_members_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  LiveSettings settings_ MINICHAT_GUARDED_BY(mutex_);
  std::string wanted_mode_ MINICHAT_GUARDED_BY(mutex_);  // and not yet taken up
  std::string mode_error_ MINICHAT_GUARDED_BY(mutex_);
  ClusterFigures figures_ MINICHAT_GUARDED_BY(mutex_);
  LiveCounts counts_ MINICHAT_GUARDED_BY(mutex_);
  LiveLatency latency_ MINICHAT_GUARDED_BY(mutex_);
  std::deque<LiveSecond> seconds_ MINICHAT_GUARDED_BY(mutex_);
  bool closed_ MINICHAT_GUARDED_BY(mutex_) = false;
};

}  // namespace minichat::loadtest
