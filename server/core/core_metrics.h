#pragma once

#include <map>
#include <string>

#include "server/base/metrics.h"

namespace minichat::core {

// What the chat domain counts and times.
//
// Lifetime:  made once per process; the registry outlives it. Threading: thread-safe.
struct CoreMetrics {
  explicit CoreMetrics(MetricsRegistry& registry);

  Gauge& sessions;
  Gauge& rooms;
  Counter& received;
  Counter& acked;
  Counter& deliveries_local;
  Counter& deliveries_relay;
  Counter& deliveries_pull;
  Histogram& stage_log;
  Histogram& stage_commit;
  Histogram& stage_fanout;
  Histogram& stage_deliver;  // one event to all of a node's sessions that it is for
  Histogram& end_to_end;
  Counter& pulls_hole;
  Counter& pulls_sweep;
  Counter& pulls_join;
  Counter& pulls_resume;
  Counter& gaps;
  Counter& suppressed;
  Counter& persisted;
  Counter& persister_placed;
  Counter& loser_records;
  Counter& fenced;
  Counter& dead_letters;
  Counter& rerouted;
  Histogram& persist_batch_rows;
  Gauge& waiting_sends;
  Gauge& waiting_reads;
  Counter& presence_changes;
  Counter& presence_reads;
  Counter& typing_repeats;
  Counter& typing_crowded;
  Counter& typing_overflows;
  std::map<std::string, Counter*> refusals;  // by error code

  void CountRefusal(const std::string& code);
};

}  // namespace minichat::core
