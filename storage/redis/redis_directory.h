#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/base/asio_scheduler.h"
#include "server/base/metrics.h"
#include "server/core/ports/room_directory.h"
#include "storage/redis/scripts.h"

struct redisReply;

namespace minichat::redis {

class RedisConnection;

struct RedisOptions {
  std::string url;  // ParseRedisUrl()
  core::DirectoryLimits limits;
  std::size_t max_pending = 20'000;                // calls
  Duration reply_limit = std::chrono::seconds(1);  // an older unanswered one ends the link
  ScriptSet scripts = EmbeddedScripts();           // tests change them
};

// RoomDirectory in Redis: one Lua script per method (scripts/), over one link at a time.
//
// Not for Redis Cluster: scripts touch a room's keys and a few common ones.
//
// Lifetime:  as RoomDirectory; its end drops what is pending. The scheduler and the registry
//            outlive it. The process must ignore SIGPIPE: hiredis writes with write(2), so the
//            constructor sets that.
// Threading: confined to the scheduler's thread.
// Errors:    as RoomDirectory; a bad URL is what Connect() answers.
// Limits:    RedisOptions; refused calls are counted.
class RedisDirectory final : public core::RoomDirectory {
 public:
  RedisDirectory(AsioScheduler& scheduler, RedisOptions options, MetricsRegistry& registry);
  ~RedisDirectory() override;

  void SetListener(Listener* listener) override { listener_ = listener; }
  bool connected() const override;
  void Connect(Deadline deadline, Callback<Result<std::string>> done) override;

  void GetGeneration(Deadline deadline, Callback<Result<core::GenerationMark>> done) override;
  void SetGeneration(core::Generation number, core::GenerationMark seen, Deadline deadline,
                     Callback<Result<core::GenerationMark>> done) override;

  void Register(const core::NodeIdentity& node, Deadline deadline,
                Callback<Result<core::RegisterOutcome>> done) override;
  void Heartbeat(const core::NodeIdentity& node, Deadline deadline,
                 Callback<Result<core::HeartbeatReply>> done) override;
  void Unregister(const core::NodeIdentity& node, Deadline deadline,
                  Callback<Status> done) override;
  void CleanDeadRoutes(core::Generation generation, Deadline deadline,
                       Callback<Status> done) override;
  void SetRelayMode(const std::string& mode, Deadline deadline,
                    Callback<Result<core::RelayModeSetting>> done) override;

  void AddAccessChange(const core::AccessChange& change, Deadline deadline,
                       Callback<Result<std::uint64_t>> done) override;
  void AccessChangesAfter(std::uint64_t version, Deadline deadline,
                          Callback<Result<core::AccessNews>> done) override;
  void Join(const core::RoomId& room, const core::Route& route, core::Generation generation,
            Deadline deadline, Callback<Result<core::JoinOutcome>> done) override;
  void Leave(const core::RoomId& room, const core::SessionId& session, const core::NodeName& node,
             core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void Reroute(const core::RoomId& room, std::vector<core::Route> routes,
               core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void Routes(const core::RoomId& room, core::Generation generation, Deadline deadline,
              Callback<Result<core::RoomRoutes>> done) override;

  void Commit(const core::CommitRequest& request, Deadline deadline,
              Callback<Result<core::CommitReply>> done) override;
  void TakeUnstored(const core::RoomId& room, std::vector<core::MessageId> ids,
                    core::Generation generation, Deadline deadline,
                    Callback<Result<std::vector<core::UnstoredPlace>>> done) override;
  void MarkStored(const core::RoomId& room,
                  std::vector<std::pair<core::MessageId, core::Seq>> stored,
                  core::Generation generation, Deadline deadline, Callback<Status> done) override;
  void UnstoredOlderThan(Duration age, std::size_t limit, core::Generation generation,
                         Deadline deadline,
                         Callback<Result<std::vector<core::PlacedMessage>>> done) override;
  void Window(const core::WindowRequest& request, Deadline deadline,
              Callback<Result<core::WindowReply>> done) override;
  void Heads(std::vector<core::RoomId> rooms, core::Generation generation, Deadline deadline,
             Callback<Result<std::vector<core::RoomHead>>> done) override;

  void Lease(const core::RoomId& room, const std::string& token, core::Generation generation,
             Deadline deadline, Callback<Result<core::LeaseOutcome>> done) override;
  void Warm(const core::WarmRequest& request, Deadline deadline,
            Callback<Result<core::WarmOutcome>> done) override;

 private:
  using Strings = std::vector<std::string>;
  struct HeadsQuery;

  void Run(Script script, const Strings& keys, const Strings& args, Deadline deadline,
           std::function<void(const Status&, const redisReply*)> handler);
  // For scripts whose answer says nothing.
  void RunForStatus(Script script, const Strings& keys, const Strings& args, Deadline deadline,
                    Callback<Status> done);
  // `decode` makes the answer from the reply.
  template <class T, class Decode>
  void RunFor(Script script, const Strings& keys, const Strings& args, Deadline deadline,
              Callback<Result<T>> done, Decode decode) {
    Run(script, keys, args, deadline,
        [done = std::move(done), decode = std::move(decode)](const Status& status,
                                                             const redisReply* reply) {
          if (reply == nullptr) return done(status);
          done(decode(*reply));
        });
  }
  void OnLost();

  AsioScheduler& scheduler_;
  const RedisOptions options_;
  Gauge& pending_;
  Counter& overflows_;
  Gauge& window_bytes_;
  Listener* listener_ = nullptr;
  std::shared_ptr<RedisConnection> link_;
};

}  // namespace minichat::redis
