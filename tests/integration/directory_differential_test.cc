// The Redis scripts against the state machine that the simulation runs on: random calls, the same
// answers. And the proof that this test sees something: each rule that is knocked out of a script
// is found.
#include <random>

#include <gtest/gtest.h>

#include "tests/integration/directory_pair.h"

namespace minichat::test {
namespace {

using namespace std::chrono_literals;

constexpr int kSteps = 500;
constexpr std::uint64_t kSeeds = 60;

ScratchRedis* Server() {
  static const std::unique_ptr<ScratchRedis> kServer = ScratchRedis::Start();
  return kServer.get();
}

// Time goes in steps of 100 s; no TTL ends at such a step, so that the milliseconds which the test
// takes itself change nothing.
core::DirectoryLimits SmallLimits() {
  core::DirectoryLimits limits;
  limits.dedup_ttl = 950s;
  limits.room_ttl = 1'250s;
  limits.node_ttl = 650s;
  limits.heartbeat = 100s;
  limits.lease_ttl = 350s;
  limits.access_changes = 3;
  limits.window_events = 3;
  limits.window_bytes_per_room = 1'500;  // about ten messages
  limits.generation_step = 1'000;
  return limits;
}

// Calls at random, out of few names, so that they meet.
class RandomCalls {
 public:
  RandomCalls(DirectoryPair& pair, std::uint64_t seed) : pair_(pair), random_(seed) {
    OpenGeneration();
  }

  void Step() {
    struct Choice {
      int weight;
      void (RandomCalls::*call)();
    };
    static constexpr Choice kChoices[] = {
        {24, &RandomCalls::Commit},      {10, &RandomCalls::Mark},
        {6, &RandomCalls::Join},         {4, &RandomCalls::Leave},
        {4, &RandomCalls::Reroute},      {6, &RandomCalls::Routes},
        {5, &RandomCalls::Take},         {6, &RandomCalls::Window},
        {5, &RandomCalls::Heads},        {4, &RandomCalls::Unstored},
        {6, &RandomCalls::OpenRoom},     {3, &RandomCalls::Lease},
        {3, &RandomCalls::Warm},         {4, &RandomCalls::Register},
        {5, &RandomCalls::Heartbeat},    {1, &RandomCalls::Unregister},
        {3, &RandomCalls::Clean},        {1, &RandomCalls::RelayMode},
        {2, &RandomCalls::ChangeAccess}, {2, &RandomCalls::AccessChanges},
        {9, &RandomCalls::Advance},      {1, &RandomCalls::Generation},
        {4, &RandomCalls::Books}};
    int weights = 0;
    for (const Choice& choice : kChoices) weights += choice.weight;
    int pick = Below(weights);
    for (const Choice& choice : kChoices) {
      pick -= choice.weight;
      if (pick < 0) return (this->*choice.call)();
    }
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }

  core::RoomId Room() { return core::RoomId("room" + std::to_string(Below(3))); }
  core::SessionId Session() { return core::SessionId("s" + std::to_string(Below(5))); }
  // Now and then that of a caller who is behind or ahead.
  core::Generation Gen() {
    if (!OneIn(12)) return generation_;
    return OneIn(2) ? generation_ + 1 : std::max<core::Generation>(1, generation_ - 1);
  }
  core::NodeIdentity Node() {
    const std::string name = "n" + std::to_string(Below(3));
    const std::string incarnation = name + "-" + std::to_string(Below(2));
    return {{core::NodeName(name), core::Incarnation(incarnation), OneIn(4) ? "" : name + ":1"},
            Gen()};
  }
  core::Route Route() {
    const core::NodeIdentity node = Node();
    return {Session(), core::UserId("u"), node.entry.name, node.entry.incarnation};
  }
  core::MessagePtr Message(const core::RoomId& room) {
    return core::MakeMessage(room, core::UserId("u"),
                             core::ClientMessageId("c" + std::to_string(Below(12))),
                             core::BodyKind::kText, OneIn(6) ? "other text" : "text", Below(1000));
  }

  void Commit() {
    core::CommitRequest request;
    request.message = Message(Room());
    request.attempt = static_cast<core::Attempt>(Below(3));
    request.generation = Gen();
    request.resend = OneIn(5);
    if (OneIn(3)) request.looked_up = Miss();
    const auto reply = pair_.Commit(request);
    if (reply.outcome == core::CommitReply::Outcome::kMiss) {
      miss_ = reply.miss;
      request.looked_up = reply.miss;
      if (OneIn(2)) pair_.Commit(request);
    }
    if (reply.outcome == core::CommitReply::Outcome::kPlaced) {
      placed_.emplace_back(request.message->room, request.message->id, reply.place.seq);
    }
  }
  core::LookedUpMiss Miss() {
    if (miss_ && OneIn(2)) return *miss_;
    const std::int64_t age_ms = OneIn(3) ? 475'000 : 100'000 * Below(9);
    return {pair_.now_ms() - age_ms, Gen()};
  }
  void Mark() {
    if (placed_.empty()) return;
    const core::RoomId room = Room();
    std::vector<std::pair<core::MessageId, core::Seq>> stored;
    const bool nearly_all = OneIn(2);
    for (const auto& [of, id, seq] : placed_) {
      if (of != room || !(nearly_all ? !OneIn(8) : OneIn(4))) continue;
      stored.emplace_back(id, OneIn(10) ? seq + 1 : seq);
    }
    pair_.MarkStored(room, stored, Gen());
    if (placed_.size() > 40) placed_.erase(placed_.begin(), placed_.begin() + 10);
  }
  void Join() { pair_.Join(Room(), Route(), Gen()); }
  void Leave() {
    const auto node = Node();
    pair_.Leave(Room(), Session(), node.entry.name, Gen());
  }
  void Reroute() {
    std::vector<core::Route> routes;
    for (int i = Below(4); i > 0; --i) routes.push_back(Route());
    pair_.Reroute(Room(), routes, Gen());
  }
  void Routes() { pair_.Routes(Room(), Gen()); }
  void Take() {
    const core::RoomId room = Room();
    std::vector<core::MessageId> ids;
    for (int i = Below(6); i > 0; --i) ids.push_back(Message(room)->id);
    pair_.TakeUnstored(room, ids, Gen());
  }
  void Window() {
    core::WindowRequest request;
    request.room = Room();
    request.generation = Gen();
    const core::Seq floor = core::FloorOf(generation_, SmallLimits().generation_step);
    if (OneIn(2)) request.after = floor + static_cast<core::Seq>(Below(30));
    if (OneIn(3)) request.before = floor + static_cast<core::Seq>(Below(40));
    request.limit = OneIn(2) ? 100 : static_cast<std::size_t>(Below(5));
    request.from_end = OneIn(2);
    pair_.Window(request);
  }
  void Heads() { pair_.Heads({Room(), Room(), core::RoomId("never")}, Gen()); }
  // Nobody asks so who is behind: the scripts drop earlier generations from the janitor's list.
  void Unstored() { pair_.UnstoredOlderThan(100s * Below(5), std::max(Gen(), generation_)); }

  std::string Token() { return OneIn(2) ? "token" : "other"; }
  core::WarmRequest WarmRequest(const core::RoomId& room) {
    const core::Seq floor = core::FloorOf(generation_, SmallLimits().generation_step);
    const core::Seq max_seq = floor + 20 - std::min<core::Seq>(floor + 20, Below(40));
    return {room, Gen(), Token(), max_seq, OneIn(2)};
  }
  void OpenRoom() {
    auto request = WarmRequest(Room());
    request.generation = generation_;
    request.lease_token = "token";
    pair_.Lease(request.room, "token", generation_);
    pair_.Warm(request);
  }
  void Lease() { pair_.Lease(Room(), Token(), Gen()); }
  void Warm() { pair_.Warm(WarmRequest(Room())); }

  void Register() { pair_.Register(Node()); }
  void Heartbeat() { pair_.Heartbeat(Node()); }
  void Unregister() { pair_.Unregister(Node()); }
  void Clean() { pair_.CleanDeadRoutes(Gen()); }
  void RelayMode() { pair_.SetRelayMode(OneIn(2) ? "" : "single"); }
  void ChangeAccess() {
    pair_.AddAccessChange({core::AccessChange::Kind::kMemberRemoved,
                           core::UserId("u" + std::to_string(Below(3))), Room(), core::SessionId(),
                           0});
    ++access_version_;
  }
  void AccessChanges() {
    pair_.AccessChangesAfter(static_cast<std::uint64_t>(Below(access_version_ + 3)));
  }
  void Advance() { pair_.Advance(100s * (OneIn(10) ? 5 + Below(10) : 1 + Below(2))); }

  void OpenGeneration() {
    for (int i = 0; i < 3; ++i) rooms_.emplace_back("room" + std::to_string(i));
    pair_.SetGeneration(generation_, pair_.GetGeneration());
  }
  void Generation() {
    if (OneIn(3)) return pair_.LeaveMarkOfAnotherRun();
    auto seen = pair_.GetGeneration();
    if (OneIn(3)) ++seen.since_ms;  // another caller was faster
    pair_.SetGeneration(generation_ + 1, seen);
    generation_ = std::max(generation_, pair_.GetGeneration().number);
  }
  void Books() { pair_.CheckBooks(rooms_); }

  DirectoryPair& pair_;
  std::mt19937_64 random_;
  core::Generation generation_ = 1;
  int access_version_ = 0;
  std::optional<core::LookedUpMiss> miss_;
  std::vector<std::tuple<core::RoomId, core::MessageId, core::Seq>> placed_;
  std::vector<core::RoomId> rooms_;
};

// "seed 3, step 17: Commit", or empty.
std::string FindDifference(std::uint64_t seed,
                           const std::function<void(redis::ScriptSet&)>& edit = {}) {
  DirectoryPair pair(*Server(), SmallLimits(), edit);
  RandomCalls calls(pair, seed);
  for (int step = 0; step < kSteps; ++step) {
    calls.Step();
    if (!pair.difference().empty()) {
      return "seed " + std::to_string(seed) + ", step " + std::to_string(step) + ": " +
             pair.difference();
    }
  }
  return {};
}

TEST(DirectoryDifferentialTest, ScriptsAnswerAsTheStateMachine) {
  MINICHAT_NEED_REDIS(Server());
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(FindDifference(seed), "");
  }
}

// A rule taken out of a script: `from`, once in its text, becomes `to`.
struct KnockOut {
  const char* name;
  redis::Script script;
  const char* from;
  const char* to;
};
void PrintTo(const KnockOut& knock_out, std::ostream* out) {
  *out << knock_out.name;
}

class DirectoryKnockOutTest : public testing::TestWithParam<KnockOut> {};

TEST_P(DirectoryKnockOutTest, IsFound) {
  MINICHAT_NEED_REDIS(Server());
  const KnockOut& knock_out = GetParam();
  const auto edit = [&](redis::ScriptSet& scripts) {
    std::string& text = scripts[static_cast<std::size_t>(knock_out.script)];
    const auto at = text.find(knock_out.from);
    ASSERT_NE(at, std::string::npos) << "the script has changed: " << knock_out.from;
    ASSERT_EQ(text.find(knock_out.from, at + 1), std::string::npos) << knock_out.from;
    text.replace(at, std::string(knock_out.from).size(), knock_out.to);
  };

  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    if (!FindDifference(seed, edit).empty()) return;
  }
  ADD_FAILURE() << "no seed has found it";
}

using redis::Script;
const KnockOut kKnockOuts[] = {
    // Generations and nodes.
    {"gen_run", Script::kGenerationGet, "mark[1] ~= ARGV[1]", "not mark[1]"},
    {"gen_first", Script::kGenerationSet,
     "mark[1] == seen_run_id and mark[2] == seen_number and "
     "mark[3] == seen_since",
     "true"},
    {"gen_seen_since", Script::kGenerationSet, " and mark[3] == seen_since", ""},
    {"gen_set_run", Script::kGenerationSet, "mark[1] ~= run_id", "not mark[1]"},
    {"nodegen_register", Script::kRegister, "holder[1] == generation and ", "holder[1] and "},
    {"two_beats", Script::kRegister, "< tonumber(two_beats)", "< 0"},
    {"own_name", Script::kRegister, " and holder[2] ~= incarnation", ""},
    {"node_ttl", Script::kRegister, "redis.call('PEXPIRE', KEYS[1], ttl)", ""},
    {"nodegen_beat", Script::kHeartbeat, "own[1] ~= generation", "not own[1]"},
    {"beatgen", Script::kHeartbeat, " or redis.call('HGET', KEYS[5], 'n') ~= generation", ""},
    {"nodegen_live", Script::kHeartbeat, "entry[1] == generation and ", "entry[1] and "},
    {"live_incarnation", Script::kHeartbeat, "entry[2] == of", "true"},
    {"taken", Script::kHeartbeat, "own[2] ~= incarnation", "false"},
    {"beat_extends", Script::kHeartbeat, "redis.call('PEXPIRE', KEYS[1], ttl)", ""},
    {"beat_dates", Script::kHeartbeat, ", 'at', text(now_ms())", ""},
    {"unregister_own", Script::kUnregister, "redis.call('HGET', KEYS[1], 'inc') == ARGV[1]",
     "true"},
    {"relay_version", Script::kRelayMode, "'version', 1)", "'version', 0)"},
    {"access_trim", Script::kAccessAdd, "redis.call('LTRIM', KEYS[2], -tonumber(ARGV[2]), -1)", ""},
    {"access_complete", Script::kAccessAfter, "#changes == wanted and 1 or 0", "1"},
    {"clean_in_force", Script::kClean, "if redis.call('HGET', KEYS[2], 'n') ~= generation then",
     "if false then"},
    {"clean_generation", Script::kClean, "entry[1] == generation and ", "entry[1] and "},
    {"clean_incarnation", Script::kClean, " and entry[2] == incarnation", ""},
    {"clean_version", Script::kClean, "if removed then", "if false then"},
    {"clean_all", Script::kClean, "if not is_live(node) then", "if false then"},
    // Routes.
    {"join_cold", Script::kJoin, "if not is_warm(KEYS[1], generation) then return {'cold'} end",
     "if redis.call('EXISTS', KEYS[1]) == 0 then return {'cold'} end"},
    {"join_version", Script::kJoin, "'ver', 1)\nreturn", "'ver', 0)\nreturn"},
    {"leave_node", Script::kLeave, "if not route or string.match(route, '^%S+ (%S+) ') ~= node",
     "if not route"},
    {"leave_version", Script::kLeave, "routes_changed(KEYS[1], generation)\nreturn", "return"},
    {"reroute_version", Script::kReroute, "routes_changed(KEYS[1], generation)\nreturn", "return"},
    {"routes_cold", Script::kRoutes, "if is_warm(KEYS[1], ARGV[1])",
     "if redis.call('EXISTS', KEYS[1]) == 1"},
    // Commit.
    {"roomgen", Script::kCommit, "if meta[1] ~= generation then return",
     "if not meta[1] then return"},
    {"dgen", Script::kCommit, "if placed_in == generation then", "if true then"},
    {"uknown", Script::kCommit, "redis.call('HGET', unstored_key, id), 0", "false, 0"},
    {"dedup", Script::kCommit, "known = known or entry", ""},
    {"own_attempt", Script::kCommit, "placed_by == attempt", "true"},
    {"uhash", Script::kCommit, "first_hash == hash and 'placed'", "true and 'placed'"},
    {"resend", Script::kCommit, "local must_look = resend == '1'", "local must_look = false"},
    {"newlook", Script::kCommit, "must_look = now - since <", "must_look = now + since <"},
    {"newlook_used", Script::kCommit, "meta[6] == '1'", "true"},
    {"newlook_gen", Script::kCommit, "mark[1] == generation and tonumber(mark[2])",
     "tonumber(mark[2] or 0)"},
    {"missgen", Script::kCommit, " and looked_up_in == generation", ""},
    {"misstime", Script::kCommit, "tonumber(dedup_ttl) / 2", "tonumber(dedup_ttl)"},
    {"floor", Script::kCommit, "math.max(prev, tonumber(floor)) + 1", "prev + 1"},
    {"room_bound", Script::kCommit, "bytes > tonumber(room_limit)", "false"},
    {"idle_bytes", Script::kCommit, "idle and bytes or tonumber(weight)", "tonumber(weight)"},
    {"dedup_ttl", Script::kCommit, ", 'PX', dedup_ttl)", ")"},
    {"persist_meta", Script::kCommit, "redis.call('PERSIST', meta_key)", ""},
    {"persist_window", Script::kCommit, "redis.call('PERSIST', hot_key)", ""},
    {"stored_reset", Script::kCommit, "'stored', text(seq - 1)", "'idle', '0'"},
    {"listed", Script::kCommit, "redis.call('ZADD', waiting_key, text(now), room)", ""},
    // From place to row.
    {"take_cold", Script::kTake, "if not is_warm(KEYS[1], ARGV[1]) then return found end", ""},
    {"mark_cold", Script::kMark, "if meta[1] ~= generation then return 0 end",
     "if not meta[1] then return 0 end"},
    {"markseq", Script::kMark, "if entry and string.match(entry, '^%d+') == ARGV[i + 1]",
     "if entry"},
    {"lowtrim", Script::kMark, "'-', text(stored), 'COUNT'", "'-', '+', 'COUNT'"},
    {"keep", Script::kMark, " - tonumber(keep)", ""},
    {"trimmed_bytes", Script::kMark, "tonumber(meta[4]) - trimmed", "tonumber(meta[4])"},
    {"total_bytes", Script::kMark, "if not idle then", "if false then"},
    {"total_once", Script::kMark, "if not idle then", "if true then"},
    {"room_ttl", Script::kMark, "redis.call('PEXPIRE', meta_key, room_ttl)", ""},
    {"window_ttl", Script::kMark, "redis.call('PEXPIRE', hot_key, room_ttl)", ""},
    {"unlisted", Script::kMark, "redis.call('ZREM', waiting_key, room)", ""},
    {"oldest", Script::kMark, "text(oldest), room", "'9e15', room"},
    {"old_age", Script::kUnstored, "(at and at >= before)", "false"},
    {"old_generation", Script::kUnstored, "meta[1] == generation then\n    take",
     "meta[1] then\n    take"},
    // Reading.
    {"window_cold", Script::kWindow, "if meta[1] ~= generation then", "if not meta[1] then"},
    {"window_from_end", Script::kWindow, "from_end == '1'", "false"},
    {"heads_cold", Script::kHeads, "meta[1] ~= ARGV[1]", "not meta[1]"},
    {"heads_routes", Script::kHeads, "redis.call('HLEN', KEYS[i + 1])", "0"},
    // Warming.
    {"lease_open", Script::kLease, "if is_warm(KEYS[1], ARGV[1]) then return 'open' end", ""},
    {"lease_one", Script::kLease, "'NX', ", ""},
    {"lease_ttl", Script::kLease, ", 'PX', ARGV[3]", ""},
    {"warmgen", Script::kWarm, "~= generation then return 'generation'",
     "== 'x' then return 'generation'"},
    {"lease", Script::kWarm, "redis.call('GET', lease_key) ~= token", "false"},
    {"stillcold", Script::kWarm, "if is_warm(meta_key, generation) then return 'done' end", ""},
    {"leftover_bytes", Script::kWarm, "if old[2] == '0' then", "if false then"},
    {"leftover_listed", Script::kWarm, "redis.call('ZREM', waiting_key, room)", ""},
    {"leftover_window", Script::kWarm, "meta_key, hot_key, unstored_key)\n\nredis",
     "meta_key, unstored_key)\n\nredis"},
    {"leftover_unstored", Script::kWarm, "meta_key, hot_key, unstored_key)\n\nredis",
     "meta_key, hot_key)\n\nredis"},
    {"prevpg", Script::kWarm, "'seq', max_seq,", "'seq', '0',"},
    {"warm_ttl", Script::kWarm, "redis.call('PEXPIRE', meta_key, room_ttl)", ""},
    {"lease_used_up", Script::kWarm, "redis.call('DEL', lease_key)", ""},
};

INSTANTIATE_TEST_SUITE_P(Scripts, DirectoryKnockOutTest, testing::ValuesIn(kKnockOuts),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace minichat::test
