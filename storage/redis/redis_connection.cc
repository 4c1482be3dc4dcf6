#include "storage/redis/redis_connection.h"

#include <algorithm>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <hiredis/hiredis.h>

#include "server/base/log.h"
#include "storage/redis/redis_context.h"

namespace minichat::redis {
namespace {

using boost::asio::ip::tcp;

// Replies after which this link is of no use: the server is another one than we take it for, or
// has forgotten what was agreed at the start. A new link finds out which. NOSCRIPT is among them,
// because sending one script again behind others would change the order of commits.
bool EndsTheLink(std::string_view error) {
  for (const std::string_view code :
       {"LOADING", "READONLY", "NOAUTH", "NOSCRIPT", "MASTERDOWN", "NOPERM", "WRONGPASS"}) {
    if (error.starts_with(code)) return true;
  }
  return false;
}

// The value of "name:value" in the answer to INFO.
std::string InfoField(const std::string& info, const std::string& name) {
  const auto at = info.find("\n" + name + ":");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 2;
  return info.substr(begin, info.find_first_of("\r\n", begin) - begin);
}

std::string TextOf(const redisReply& reply) {
  return reply.str != nullptr ? std::string(reply.str, reply.len) : std::string();
}

}  // namespace

RedisConnection::RedisConnection(AsioScheduler& scheduler, Options options)
    : scheduler_(scheduler), options_(std::move(options)) {}

// Without Close() before it, callbacks are dropped with their owner.
RedisConnection::~RedisConnection() {
  scheduler_.Cancel(open_timer_);
  scheduler_.Cancel(watch_timer_);
  for (const PendingPtr& call : pending_) scheduler_.Cancel(call->timer);
  if (context_ != nullptr) context_->Close();
}

// ---- Opening: name, socket, login, scripts

void RedisConnection::Open(Deadline deadline, Callback<Result<std::string>> done) {
  state_ = State::kConnecting;
  open_deadline_ = deadline;
  on_open_ = std::move(done);
  open_timer_ =
      scheduler_.RunAfter(deadline.Remaining(scheduler_.Now()), [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->open_timer_ = 0;
        self->OnLost(DeadlineExceeded("redis: connecting"));
      });
  Resolve();
}

void RedisConnection::Resolve() {
  boost::system::error_code ec;
  const auto ip = boost::asio::ip::make_address(options_.address.host, ec);
  if (!ec) {
    addresses_.push_back(ip.to_string());
    return ConnectNext();
  }

  // Asio looks names up on a thread of its own.
  auto resolver = std::make_shared<tcp::resolver>(scheduler_.io());
  resolver->async_resolve(
      options_.address.host, "",
      [weak = weak_from_this(), resolver](const boost::system::error_code& error,
                                          const tcp::resolver::results_type& found) {
        const auto self = weak.lock();
        if (self == nullptr || self->state_ != State::kConnecting) return;
        if (error || found.empty()) {
          return self->OnLost(Unavailable("redis: look-up of the host: " + error.message()));
        }
        for (const auto& entry : found) {
          self->addresses_.push_back(entry.endpoint().address().to_string());
        }
        self->ConnectNext();
      });
}

void RedisConnection::ConnectNext() {
  const std::string ip = std::move(addresses_.front());
  addresses_.pop_front();
  context_ = std::make_shared<RedisContext>(
      scheduler_.io(),
      RedisContext::Events{[this] { LogIn(); }, [this](const redisReply& reply) { OnReply(reply); },
                           [this](const std::string& reason) { OnSocketClosed(reason); }});
  context_->Connect(ip, options_.address.port);
}

void RedisConnection::OnSocketClosed(const std::string& reason) {
  const bool refused = state_ == State::kConnecting && pending_.empty();
  if (!refused || addresses_.empty()) return OnLost(Unavailable("redis: " + reason));
  // The context that tells this must live until it has told.
  scheduler_.Post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self != nullptr && self->state_ == State::kConnecting) self->ConnectNext();
  });
}

// Pipelined: the first refusal ends the link. AUTH and SELECT stand before anything else.
void RedisConnection::LogIn() {
  addresses_.clear();  // this one answers
  const RedisAddress& address = options_.address;
  const auto ignore = [](const redisReply&) {};
  if (!address.password.empty()) {
    std::vector<std::string> argv = {"AUTH"};
    if (!address.user.empty()) argv.push_back(address.user);
    argv.push_back(address.password);
    SendLogInStep(argv, "AUTH", ignore);
  }
  SendLogInStep({"SELECT", std::to_string(address.database)}, "SELECT", ignore);
  SendLogInStep({"INFO", "server"}, "INFO server",
                [this](const redisReply& reply) { OnServerInfo(TextOf(reply)); });
  SendLogInStep({"INFO", "memory"}, "INFO memory",
                [this](const redisReply& reply) { OnMemoryInfo(TextOf(reply)); });
  for (std::size_t i = 0; i < kScriptCount; ++i) {
    SendLogInStep({"SCRIPT", "LOAD", (*options_.scripts)[i]}, "SCRIPT LOAD",
                  [this, i](const redisReply& reply) {
                    hashes_[i] = TextOf(reply);
                    if (i + 1 == kScriptCount) OnLoggedIn();
                  });
  }
}

void RedisConnection::SendLogInStep(const std::vector<std::string>& argv, const char* what,
                                    std::function<void(const redisReply&)> on_ok) {
  // The link's end drops the handlers, so `this` is there whenever one runs.
  Send(argv, open_deadline_,
       [this, what, on_ok = std::move(on_ok)](const Status& status, const redisReply* reply) {
         if (state_ != State::kConnecting) return;
         if (reply != nullptr) return on_ok(*reply);
         OnLost(Status(status.code(), std::string(what) + ": " + status.message()));
       });
}

void RedisConnection::OnServerInfo(const std::string& info) {
  run_id_ = InfoField(info, "run_id");
  if (run_id_.empty()) OnLost(Unavailable("redis: INFO server has no run_id"));
}

void RedisConnection::OnMemoryInfo(const std::string& info) const {
  const std::string policy = InfoField(info, "maxmemory_policy");
  if (policy.empty() || policy == "noeviction") return;
  log::Warn("redis_may_evict", {{"redis", options_.address.ToText()},
                                {"maxmemory_policy", policy},
                                {"wanted", "noeviction"}});
}

void RedisConnection::OnLoggedIn() {
  state_ = State::kOpen;
  scheduler_.Cancel(std::exchange(open_timer_, 0));
  log::Info("redis_up", {{"redis", options_.address.ToText()}, {"run_id", run_id_}});
  std::exchange(on_open_, nullptr)(run_id_);
}

// ---- Commands

void RedisConnection::CallScript(Script script, const std::vector<std::string>& keys,
                                 const std::vector<std::string>& args, Deadline deadline,
                                 Handler handler) {
  if (state_ != State::kOpen) return Refuse(std::move(handler), Unavailable("redis: no link"));
  if (deadline.Passed(scheduler_.Now())) {
    return Refuse(std::move(handler), DeadlineExceeded("redis: no time left"));
  }
  if (pending_.size() >= options_.max_pending) {
    return Refuse(std::move(handler), ResourceExhausted("redis: too many pending calls"));
  }
  std::vector<std::string> argv;
  argv.reserve(3 + keys.size() + args.size());
  argv.emplace_back("EVALSHA");
  argv.push_back(hashes_[static_cast<std::size_t>(script)]);
  argv.push_back(std::to_string(keys.size()));
  argv.insert(argv.end(), keys.begin(), keys.end());
  argv.insert(argv.end(), args.begin(), args.end());
  Send(argv, deadline, std::move(handler));
}

void RedisConnection::Refuse(Handler handler, Status status) {
  scheduler_.Post(
      [handler = std::move(handler), status = std::move(status)] { handler(status, nullptr); });
}

void RedisConnection::Send(const std::vector<std::string>& argv, Deadline deadline,
                           Handler handler) {
  if (context_ == nullptr || !context_->Send(argv)) {
    return Refuse(std::move(handler), Unavailable("redis: no link"));
  }
  const TimePoint now = scheduler_.Now();
  auto pending = std::make_shared<Pending>(Pending{deadline, now, 0, std::move(handler)});
  pending->timer =
      scheduler_.RunAfter(deadline.Remaining(now), [this, pending] { OnDeadline(*pending); });
  pending_.push_back(std::move(pending));
  if (watch_timer_ == 0) WatchOldest();
}

void RedisConnection::OnReply(const redisReply& reply) {
  const PendingPtr call = std::move(pending_.front());  // replies come in the order of the calls
  pending_.pop_front();
  scheduler_.Cancel(call->timer);
  const Handler handler = std::exchange(call->handler, nullptr);
  // A reply that is handled after its deadline counts as lost.
  const bool late = call->deadline.Passed(scheduler_.Now());
  const bool is_error = reply.type == REDIS_REPLY_ERROR;
  const std::string error = is_error ? TextOf(reply) : std::string();

  const auto keep = shared_from_this();  // the handler may drop the owner's reference
  if (handler != nullptr) {
    if (late) {
      handler(DeadlineExceeded("redis: the reply came too late"), nullptr);
    } else if (is_error) {
      handler(Unavailable("redis: " + error), nullptr);
    } else {
      handler(Status(), &reply);
    }
  }
  if (is_error && EndsTheLink(error)) OnLost(Unavailable("redis: " + error));
}

// ---- Ends

void RedisConnection::OnDeadline(Pending& pending) {
  const Handler handler = std::exchange(pending.handler, nullptr);
  if (handler != nullptr) handler(DeadlineExceeded("redis: no reply in time"), nullptr);
}

// One timer for the link: a server that leaves the oldest command unanswered for too long has
// stalled, and so has everything behind it.
void RedisConnection::WatchOldest() {
  watch_timer_ = 0;
  if (pending_.empty() || state_ == State::kClosed) return;
  const Duration waited = scheduler_.Now() - pending_.front()->sent;
  if (waited >= options_.reply_limit) return OnLost(Unavailable("redis: the server is silent"));
  watch_timer_ = scheduler_.RunAfter(options_.reply_limit - waited, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->WatchOldest();
  });
}

void RedisConnection::OnLost(const Status& why) {
  if (state_ == State::kClosed) return;
  const bool was_open = state_ == State::kOpen;
  log::Warn("redis_down", {{"redis", options_.address.ToText()}, {"reason", why.message()}});
  Close(why);
  if (!was_open) return;
  scheduler_.Post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self != nullptr && self->options_.on_lost) self->options_.on_lost();
  });
}

void RedisConnection::Close(const Status& why) {
  if (std::exchange(state_, State::kClosed) == State::kClosed) return;
  scheduler_.Cancel(std::exchange(open_timer_, 0));
  scheduler_.Cancel(std::exchange(watch_timer_, 0));
  if (context_ != nullptr) context_->Close();
  FailPending(why);
  if (on_open_ == nullptr) return;
  scheduler_.Post([done = std::exchange(on_open_, nullptr), why] { done(why); });
}

void RedisConnection::FailPending(const Status& why) {
  for (PendingPtr& call : pending_) {
    scheduler_.Cancel(call->timer);
    if (call->handler != nullptr) Refuse(std::move(call->handler), why);
  }
  pending_.clear();
}

}  // namespace minichat::redis
