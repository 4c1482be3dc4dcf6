#include "loadtest/experiments/hot_spots/lookup_spot.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <unordered_map>

#include <hiredis/hiredis.h>

#include "server/core/ports/room_directory.h"
#include "tests/support/scratch_redis.h"

namespace minichat::lab {
namespace {

constexpr std::size_t kRecipients = 150;
constexpr std::size_t kUsers = 5'000;  // others, whom nobody asks for
constexpr std::uint64_t kVersion = 41;

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};
struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;
using Nodes = std::vector<std::string>;

pid_t PidOf(test::ScratchRedis& redis) {
  const std::string info = redis.Command({"INFO", "server"});
  const std::size_t at = info.find("process_id:");
  return at == std::string::npos ? 0 : std::atoi(info.c_str() + at + std::strlen("process_id:"));
}

std::string KeyOf(std::size_t user) {
  return "lab:node-of:u" + std::to_string(user);
}

std::string NodeOf(std::size_t user) {
  return "n" + std::to_string(user % 3 + 1);
}

// A blocking link, as a thread of a classic server has one.
class Link {
 public:
  explicit Link(int port) : context_(redisConnect("127.0.0.1", port)) {}

  bool ok() const { return context_ != nullptr && context_->err == 0; }
  Reply Command(const std::vector<std::string>& argv) {
    Append(argv);
    return Read();
  }
  void Append(const std::vector<std::string>& argv) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& arg : argv) {
      texts.push_back(arg.data());
      sizes.push_back(arg.size());
    }
    redisAppendCommandArgv(context_.get(), static_cast<int>(argv.size()), texts.data(),
                           sizes.data());
  }
  Reply Read() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK) return nullptr;
    return Reply(static_cast<redisReply*>(reply));
  }

 private:
  std::unique_ptr<redisContext, FreeContext> context_;
};

void AddText(const redisReply* reply, Nodes* nodes) {
  if (reply != nullptr && reply->type == REDIS_REPLY_STRING) {
    nodes->emplace_back(reply->str, reply->len);
  }
}

class LookupSpot {
 public:
  explicit LookupSpot(test::ScratchRedis& redis) : link_(redis.port()) {
    for (std::size_t i = 0; i < kRecipients; ++i) {
      keys_.push_back(KeyOf(i));
      expected_.push_back(NodeOf(i));
    }
  }

  Status Fill() {
    if (!link_.ok()) return Unavailable("hot-spots: redis: no connection");
    for (std::size_t i = 0; i < kRecipients + kUsers; ++i) {
      link_.Append({"SET", KeyOf(i), NodeOf(i)});
    }
    for (std::size_t i = 0; i < kRecipients + kUsers; ++i) {
      if (link_.Read() == nullptr) return Unavailable("hot-spots: redis: lost");
    }
    core::RoomRoutes routes{kVersion, {}};
    for (std::size_t i = 0; i < kRecipients; ++i) {
      routes.routes.push_back({core::SessionId("s" + std::to_string(i)),
                               core::UserId("u" + std::to_string(i)), core::NodeName(NodeOf(i)),
                               core::Incarnation("i")});
    }
    cache_[room_] = std::make_shared<const core::RoomRoutes>(std::move(routes));
    return {};
  }

  Status OneByOne() {
    Nodes nodes;
    for (const std::string& key : keys_) AddText(link_.Command({"GET", key}).get(), &nodes);
    return Compare(nodes);
  }
  Status Pipelined() {
    for (const std::string& key : keys_) link_.Append({"GET", key});
    Nodes nodes;
    for (std::size_t i = 0; i < keys_.size(); ++i) AddText(link_.Read().get(), &nodes);
    return Compare(nodes);
  }
  Status OneCommand() {
    std::vector<std::string> argv{"MGET"};
    argv.insert(argv.end(), keys_.begin(), keys_.end());
    const Reply reply = link_.Command(argv);
    Nodes nodes;
    for (std::size_t i = 0; reply != nullptr && i < reply->elements; ++i) {
      AddText(reply->element[i], &nodes);
    }
    return Compare(nodes);
  }
  // The commit of the message has returned the version of the room's routes.
  Status FromCache() const {
    const auto found = cache_.find(room_);
    const bool fresh = found != cache_.end() && found->second->version == kVersion;
    if (!fresh) return Internal("hot-spots: the routes are not in the cache");
    const auto& routes = found->second->routes;
    for (std::size_t i = 0; i < routes.size(); ++i) {
      if (routes[i].node.value() != expected_[i]) return Wrong();
    }
    return {};
  }

 private:
  static Status Wrong() { return Internal("hot-spots: a look-up has another result"); }
  Status Compare(const Nodes& nodes) const { return nodes == expected_ ? Status() : Wrong(); }

  Link link_;
  const core::RoomId room_{"hot"};
  std::vector<std::string> keys_;
  Nodes expected_;
  std::unordered_map<core::RoomId, std::shared_ptr<const core::RoomRoutes>> cache_;
};

}  // namespace

Result<SpotResult> MeasureLookup(const SpotPlan& plan) {
  const auto redis = test::ScratchRedis::Start();
  if (redis == nullptr) return FailedPrecondition("hot-spots: redis-server is not installed");
  LookupSpot spot(*redis);
  if (const Status s = spot.Fill(); !s.ok()) return s;
  return Measure({"look-up",
                  "Who is where: 150 recipients of a message",
                  "150 recipients looked up",
                  {{"one by one", 1, [&] { return spot.OneByOne(); }, "11,375 µs"},
                   {"pipelined", 1, [&] { return spot.Pipelined(); }, "199 µs"},
                   {"one command", 1, [&] { return spot.OneCommand(); }, "126 µs"},
                   {"kept by version", 1, [&] { return spot.FromCache(); }, "0.3 to 0.9 µs"}},
                  {PidOf(*redis)},
                  50},
                 plan);
}

}  // namespace minichat::lab
