#include "server/core/core_metrics.h"

#include "server/core/client_error.h"

namespace minichat::core {
namespace {

Counter& Deliveries(MetricsRegistry& registry, const char* path) {
  return registry.AddCounter("minichat_deliveries_total", "Events queued to sessions",
                             {{"path", path}});
}

Histogram& Stage(MetricsRegistry& registry, const char* stage) {
  return registry.AddLatency("minichat_stage_seconds", "Time in one stage of a message's life",
                             {{"stage", stage}});
}

Counter& Pulls(MetricsRegistry& registry, const char* cause) {
  return registry.AddCounter("minichat_pulls_total", "Reads of what a node lacked",
                             {{"cause", cause}});
}

Counter& DroppedTyping(MetricsRegistry& registry, const char* reason) {
  return registry.AddCounter("minichat_typing_dropped_total",
                             "Typing notices that were not passed on", {{"reason", reason}});
}

}  // namespace

CoreMetrics::CoreMetrics(MetricsRegistry& r)
    : sessions(r.AddGauge("minichat_sessions", "Open sessions")),
      rooms(r.AddGauge("minichat_rooms", "Rooms with sessions on this node")),
      received(r.AddCounter("minichat_messages_received_total", "Sends that passed the edge")),
      acked(r.AddCounter("minichat_messages_acked_total", "Sends that were acknowledged")),
      deliveries_local(Deliveries(r, "local")),
      deliveries_relay(Deliveries(r, "relay")),
      deliveries_pull(Deliveries(r, "pull")),
      stage_log(Stage(r, "log")),
      stage_commit(Stage(r, "commit")),
      stage_fanout(Stage(r, "fanout")),
      stage_deliver(Stage(r, "deliver")),
      end_to_end(
          r.AddLatency("minichat_end_to_end_seconds", "From the frame's arrival to the ack")),
      pulls_hole(Pulls(r, "hole")),
      pulls_sweep(Pulls(r, "sweep")),
      pulls_join(Pulls(r, "join")),
      pulls_resume(Pulls(r, "resume")),
      gaps(r.AddCounter("minichat_gaps_total", "Gaps told to sessions")),
      suppressed(
          r.AddCounter("minichat_suppressed_total",
                       "Events not repeated to a session that had them under an older number")),
      persisted(r.AddCounter("minichat_persisted_total", "Rows written or found written")),
      persister_placed(r.AddCounter("minichat_persister_placed_total",
                                    "Logged messages that the persister gave their place")),
      loser_records(
          r.AddCounter("minichat_refused_twins_total", "Log records whose cid had another text")),
      fenced(r.AddCounter("minichat_fenced_total",
                          "Inserts or warmings refused as of an old generation")),
      dead_letters(r.AddCounter("minichat_dead_letters_total", "Records that could not be stored")),
      rerouted(r.AddCounter("minichat_rerouted_total", "Recipients relayed again after not_here")),
      persist_batch_rows(r.AddSizes("minichat_persist_batch_rows", "Rows per insert")),
      waiting_sends(
          r.AddGauge("minichat_queue_depth", "Entries in a bounded queue", {{"queue", "sends"}})),
      waiting_reads(
          r.AddGauge("minichat_queue_depth", "Entries in a bounded queue", {{"queue", "reads"}})),
      presence_changes(r.AddCounter("minichat_presence_changes_total",
                                    "Users of whom a room's sessions were told that they came or "
                                    "went")),
      presence_reads(
          r.AddCounter("minichat_presence_reads_total", "Routes of a room read for presence")),
      typing_repeats(DroppedTyping(r, "repeat")),
      typing_crowded(DroppedTyping(r, "crowded")),
      typing_overflows(DroppedTyping(r, "full")) {
  for (const ErrorCodeInfo& info : ErrorCodes()) {
    refusals[std::string(info.name)] = &r.AddCounter("minichat_refusals_total", "Requests refused",
                                                     {{"reason", std::string(info.name)}});
  }
}

void CoreMetrics::CountRefusal(const std::string& code) {
  const auto it = refusals.find(code);
  if (it != refusals.end()) it->second->Increment();
}

}  // namespace minichat::core
