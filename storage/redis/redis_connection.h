#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/base/asio_scheduler.h"
#include "server/base/deadline.h"
#include "server/base/status.h"
#include "server/base/task.h"
#include "storage/redis/redis_url.h"
#include "storage/redis/scripts.h"

struct redisReply;

namespace minichat::redis {

class RedisContext;

// One link to one server process: connects, logs in, selects the database, loads the scripts; then
// calls them. Never reconnects: a new link is a new object, so that no reply can cross over.
//
// Lifetime:  held by shared_ptr by its owner alone; its end drops what is pending.
// Threading: confined to the scheduler's thread. No callback runs inside the call that was given
//            it, nor inside Close().
// Errors:    each callback runs exactly once, at about its deadline at the latest. The link ends
//            when the server closes it, leaves a command unanswered for `reply_limit`, or answers
//            that it can't serve (LOADING, READONLY, NOAUTH, NOSCRIPT, …).
// Limits:    `max_pending` commands; above, ResourceExhausted.
class RedisConnection : public std::enable_shared_from_this<RedisConnection> {
 public:
  struct Options {
    RedisAddress address;
    const ScriptSet* scripts = nullptr;
    std::size_t max_pending = 0;
    Duration reply_limit{};
    std::function<void()> on_lost;  // it was open, and ended by itself
  };
  // `reply` is null exactly when the status is not ok; an error reply is a status, too.
  using Handler = std::function<void(const Status& status, const redisReply* reply)>;

  RedisConnection(AsioScheduler& scheduler, Options options);
  ~RedisConnection();

  // `done` gets the server's run id.
  void Open(Deadline deadline, Callback<Result<std::string>> done);
  bool open() const { return state_ == State::kOpen; }
  const std::string& run_id() const { return run_id_; }
  std::size_t pending() const { return pending_.size(); }

  void CallScript(Script script, const std::vector<std::string>& keys,
                  const std::vector<std::string>& args, Deadline deadline, Handler handler);
  // Gives the link up: what is pending fails.
  void Close(const Status& why);

 private:
  enum class State { kNew, kConnecting, kOpen, kClosed };
  // A command on its way. Without a handler it has been answered (too late) already.
  struct Pending {
    Deadline deadline;
    TimePoint sent;
    Scheduler::TimerId timer;
    Handler handler;
  };
  using PendingPtr = std::shared_ptr<Pending>;

  void Resolve();
  // To the next of the host's addresses.
  void ConnectNext();
  void OnSocketClosed(const std::string& reason);
  void LogIn();
  void SendLogInStep(const std::vector<std::string>& argv, const char* what,
                     std::function<void(const redisReply&)> on_ok);
  void OnServerInfo(const std::string& info);
  void OnMemoryInfo(const std::string& info) const;
  void OnLoggedIn();
  void Send(const std::vector<std::string>& argv, Deadline deadline, Handler handler);
  void Refuse(Handler handler, Status status);
  void OnReply(const redisReply& reply);
  void OnDeadline(Pending& pending);
  void WatchOldest();
  void OnLost(const Status& why);
  void FailPending(const Status& why);

  AsioScheduler& scheduler_;
  const Options options_;
  State state_ = State::kNew;
  Deadline open_deadline_ = Deadline::At({});
  Callback<Result<std::string>> on_open_;
  Scheduler::TimerId open_timer_ = 0;
  Scheduler::TimerId watch_timer_ = 0;
  std::deque<std::string> addresses_;  // numeric, not yet tried
  std::shared_ptr<RedisContext> context_;
  std::deque<PendingPtr> pending_;  // in the order that they were sent
  std::string run_id_;
  std::array<std::string, kScriptCount> hashes_;
};

}  // namespace minichat::redis
