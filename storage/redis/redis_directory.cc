#include "storage/redis/redis_directory.h"

#include <csignal>
#include <utility>

#include "storage/redis/keys.h"
#include "storage/redis/redis_connection.h"
#include "storage/redis/redis_url.h"
#include "storage/redis/reply_codec.h"

namespace minichat::redis {

using core::Generation;

RedisDirectory::RedisDirectory(AsioScheduler& scheduler, RedisOptions options,
                               MetricsRegistry& registry)
    : scheduler_(scheduler),
      options_(std::move(options)),
      pending_(registry.AddGauge("minichat_queue_depth", "Entries in a bounded queue",
                                 {{"queue", "redis"}})),
      overflows_(registry.AddCounter("minichat_queue_overflows_total",
                                     "Entries refused by a full queue", {{"queue", "redis"}})),
      window_bytes_(registry.AddGauge("minichat_hot_window_bytes",
                                      "What the rooms' windows in Redis weigh")) {
  registry.AddGauge("minichat_hot_window_limit_bytes", "What the rooms' windows in Redis may weigh")
      .Set(static_cast<double>(options_.limits.window_bytes_total));
  std::signal(SIGPIPE, SIG_IGN);
}

RedisDirectory::~RedisDirectory() = default;

// ---- The link

bool RedisDirectory::connected() const {
  return link_ != nullptr && link_->open();
}

void RedisDirectory::Connect(Deadline deadline, Callback<Result<std::string>> done) {
  if (link_ != nullptr) link_->Close(Unavailable("redis: the link was given up"));
  const auto address = ParseRedisUrl(options_.url);
  if (!address.ok()) {
    link_ = nullptr;
    return scheduler_.Post([done = std::move(done), status = address.status()] { done(status); });
  }
  link_ = std::make_shared<RedisConnection>(
      scheduler_, RedisConnection::Options{*address, &options_.scripts, options_.max_pending,
                                           options_.reply_limit, [this] { OnLost(); }});
  link_->Open(deadline, std::move(done));
}

void RedisDirectory::OnLost() {
  if (listener_ != nullptr) listener_->OnDirectoryLost();
}

void RedisDirectory::Run(Script script, const Strings& keys, const Strings& args, Deadline deadline,
                         std::function<void(const Status&, const redisReply*)> handler) {
  if (link_ == nullptr) {
    return scheduler_.Post(
        [handler = std::move(handler)] { handler(Unavailable("redis: not connected"), nullptr); });
  }
  pending_.Set(static_cast<double>(link_->pending()));
  if (link_->pending() >= options_.max_pending) overflows_.Increment();
  link_->CallScript(script, keys, args, deadline, std::move(handler));
}

void RedisDirectory::RunForStatus(Script script, const Strings& keys, const Strings& args,
                                  Deadline deadline, Callback<Status> done) {
  Run(script, keys, args, deadline,
      [done = std::move(done)](const Status& status, const redisReply*) { done(status); });
}

// ---- Generations

void RedisDirectory::GetGeneration(Deadline deadline, Callback<Result<core::GenerationMark>> done) {
  const std::string run_id = link_ != nullptr ? link_->run_id() : "";
  RunFor(Script::kGenerationGet, {kGenerationKey}, {run_id}, deadline, std::move(done),
         DecodeGeneration);
}

void RedisDirectory::SetGeneration(Generation number, core::GenerationMark seen, Deadline deadline,
                                   Callback<Result<core::GenerationMark>> done) {
  const std::string run_id = link_ != nullptr ? link_->run_id() : "";
  RunFor(Script::kGenerationSet, {kGenerationKey},
         {run_id, ToText(number), seen.run_id, ToText(seen.number), std::to_string(seen.since_ms)},
         deadline, std::move(done), DecodeGeneration);
}

// ---- Nodes

void RedisDirectory::Register(const core::NodeIdentity& node, Deadline deadline,
                              Callback<Result<core::RegisterOutcome>> done) {
  const core::NodeEntry& entry = node.entry;
  RunFor(
      Script::kRegister, {NodeKey(entry.name), kNodesKey},
      {ToText(node.generation), entry.name.value(), entry.incarnation.value(), entry.relay_address,
       ToMillis(options_.limits.node_ttl), ToMillis(2 * options_.limits.heartbeat)},
      deadline, std::move(done), DecodeRegister);
}

void RedisDirectory::Heartbeat(const core::NodeIdentity& node, Deadline deadline,
                               Callback<Result<core::HeartbeatReply>> done) {
  const core::NodeEntry& entry = node.entry;
  RunFor(Script::kHeartbeat,
         {NodeKey(entry.name), kNodesKey, kRelayKey, kWindowBytesKey, kGenerationKey, kAccessKey},
         {ToText(node.generation), entry.incarnation.value(), entry.relay_address,
          ToMillis(options_.limits.node_ttl)},
         deadline, std::move(done),
         [&gauge = window_bytes_](const redisReply& reply) -> Result<core::HeartbeatReply> {
           auto beat = DecodeHeartbeat(reply);
           if (!beat.ok()) return beat.status();
           gauge.Set(static_cast<double>(beat->window_bytes));
           return std::move(beat->reply);
         });
}

void RedisDirectory::Unregister(const core::NodeIdentity& node, Deadline deadline,
                                Callback<Status> done) {
  RunForStatus(Script::kUnregister, {NodeKey(node.entry.name)}, {node.entry.incarnation.value()},
               deadline, std::move(done));
}

void RedisDirectory::CleanDeadRoutes(Generation generation, Deadline deadline,
                                     Callback<Status> done) {
  RunForStatus(Script::kClean, {kNodesKey, kGenerationKey}, {ToText(generation)}, deadline,
               std::move(done));
}

void RedisDirectory::SetRelayMode(const std::string& mode, Deadline deadline,
                                  Callback<Result<core::RelayModeSetting>> done) {
  RunFor(Script::kRelayMode, {kRelayKey}, {mode}, deadline, std::move(done), DecodeRelayMode);
}

void RedisDirectory::AddAccessChange(const core::AccessChange& change, Deadline deadline,
                                     Callback<Result<std::uint64_t>> done) {
  RunFor(Script::kAccessAdd, {kAccessKey, kAccessChangesKey},
         {EncodeAccessChange(change), ToText(options_.limits.access_changes)}, deadline,
         std::move(done), DecodeVersion);
}

void RedisDirectory::AccessChangesAfter(std::uint64_t version, Deadline deadline,
                                        Callback<Result<core::AccessNews>> done) {
  RunFor(Script::kAccessAfter, {kAccessKey, kAccessChangesKey}, {ToText(version)}, deadline,
         std::move(done), DecodeAccessNews);
}

// ---- Routes

void RedisDirectory::Join(const core::RoomId& room, const core::Route& route, Generation generation,
                          Deadline deadline, Callback<Result<core::JoinOutcome>> done) {
  RunFor(Script::kJoin, {MetaKey(room), RoutesKey(room)},
         {ToText(generation), room.value(), route.session.value(), EncodeRoute(route)}, deadline,
         std::move(done), DecodeJoin);
}

void RedisDirectory::Leave(const core::RoomId& room, const core::SessionId& session,
                           const core::NodeName& node, Generation generation, Deadline deadline,
                           Callback<Status> done) {
  RunForStatus(Script::kLeave, {MetaKey(room), RoutesKey(room)},
               {ToText(generation), room.value(), session.value(), node.value()}, deadline,
               std::move(done));
}

void RedisDirectory::Reroute(const core::RoomId& room, std::vector<core::Route> routes,
                             Generation generation, Deadline deadline, Callback<Status> done) {
  if (routes.empty()) {
    return scheduler_.Post([done = std::move(done)] { done(Status()); });
  }
  Strings args = {ToText(generation), room.value()};
  for (const core::Route& route : routes) {
    args.push_back(route.session.value());
    args.push_back(EncodeRoute(route));
  }
  RunForStatus(Script::kReroute, {MetaKey(room), RoutesKey(room)}, args, deadline, std::move(done));
}

void RedisDirectory::Routes(const core::RoomId& room, Generation generation, Deadline deadline,
                            Callback<Result<core::RoomRoutes>> done) {
  RunFor(Script::kRoutes, {MetaKey(room), RoutesKey(room)}, {ToText(generation)}, deadline,
         std::move(done), DecodeRoutes);
}

}  // namespace minichat::redis
