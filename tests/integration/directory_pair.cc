#include "tests/integration/directory_pair.h"

#include <algorithm>
#include <tuple>

namespace minichat::test {
namespace {

constexpr std::size_t kNoLimit = 1000;

bool Same(const std::vector<core::PlacedMessage>& a, const std::vector<core::PlacedMessage>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.place == y.place && *x.message == *y.message;
  });
}

void Sort(std::vector<core::PlacedMessage>& messages) {
  std::sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) {
    return std::tie(a.message->room, a.place.seq) < std::tie(b.message->room, b.place.seq);
  });
}

void Sort(std::vector<core::Route>& routes) {
  std::sort(routes.begin(), routes.end(),
            [](const auto& a, const auto& b) { return a.session < b.session; });
}

}  // namespace

DirectoryPair::DirectoryPair(ScratchRedis& server, const core::DirectoryLimits& limits,
                             const std::function<void(redis::ScriptSet&)>& edit)
    : server_(server), harness_(server, limits, edit), redis_(harness_), memory_(limits) {
  run_id_ = redis_.Connect();
}

// ---- Generations

core::GenerationMark DirectoryPair::GetGeneration() {
  const auto mark = memory_.GetGeneration(run_id_);
  Compare("GetGeneration", mark, redis_.GetGeneration());
  return mark;
}

void DirectoryPair::SetGeneration(core::Generation number, const core::GenerationMark& seen) {
  Compare("SetGeneration", memory_.SetGeneration(now_ms(), run_id_, number, seen),
          redis_.SetGeneration(number, seen));
}

void DirectoryPair::LeaveMarkOfAnotherRun() {
  const std::string other = "another-run";
  const auto mark = memory_.GetGeneration(run_id_);
  memory_.SetGeneration(now_ms(), other, mark.number, memory_.GetGeneration(other));
  server_.Command({"HSET", "minichat:gen", "run_id", other, "n", std::to_string(mark.number),
                   "since", std::to_string(now_ms())});
}

// ---- Nodes

void DirectoryPair::Register(const core::NodeIdentity& node) {
  Compare("Register", memory_.Register(now_ms(), node), redis_.Register(node));
}

void DirectoryPair::Heartbeat(const core::NodeIdentity& node) {
  const auto expected = memory_.Heartbeat(now_ms(), node);
  const auto actual = redis_.Heartbeat(node);
  Compare("Heartbeat: outcome", expected.outcome, actual.outcome);
  Compare("Heartbeat: live nodes", expected.live_nodes, actual.live_nodes);
  Compare("Heartbeat: relay mode", expected.relay_mode, actual.relay_mode);
  Compare("Heartbeat: access version", expected.access_version, actual.access_version);
}

void DirectoryPair::Unregister(const core::NodeIdentity& node) {
  memory_.Unregister(node);
  redis_.Unregister(node);
}

void DirectoryPair::CleanDeadRoutes(core::Generation generation) {
  memory_.CleanDeadRoutes(now_ms(), generation);
  redis_.CleanDeadRoutes(generation);
}

void DirectoryPair::SetRelayMode(const std::string& mode) {
  Compare("SetRelayMode", memory_.SetRelayMode(mode), redis_.SetRelayMode(mode));
}

void DirectoryPair::AddAccessChange(const core::AccessChange& change) {
  Compare("AddAccessChange", memory_.AddAccessChange(change), redis_.AddAccessChange(change));
}

void DirectoryPair::AccessChangesAfter(std::uint64_t version) {
  Compare("AccessChangesAfter", memory_.AccessChangesAfter(version),
          redis_.AccessChangesAfter(version));
}

// ---- Routes

void DirectoryPair::CompareVersion(const std::string& call, const core::RoomId& room,
                                   std::uint64_t expected, std::uint64_t actual) {
  if ((expected == 0) != (actual == 0)) return Differs(call + ": cold");
  if (expected == 0) return;
  const auto [known, is_new] = version_offsets_.emplace(room, actual - expected);
  if (!is_new && known->second != actual - expected) Differs(call + ": route version");
}

void DirectoryPair::Join(const core::RoomId& room, const core::Route& route,
                         core::Generation generation) {
  const auto expected = memory_.Join(now_ms(), room, route, generation);
  const auto actual = redis_.Join(room, route, generation);
  Compare("Join: cold", expected.cold, actual.cold);
  Compare("Join: head", expected.head, actual.head);
  CompareVersion("Join", room, expected.route_version, actual.route_version);
}

void DirectoryPair::Leave(const core::RoomId& room, const core::SessionId& session,
                          const core::NodeName& node, core::Generation generation) {
  memory_.Leave(now_ms(), room, session, node, generation);
  redis_.Leave(room, session, node, generation);
}

void DirectoryPair::Reroute(const core::RoomId& room, const std::vector<core::Route>& routes,
                            core::Generation generation) {
  memory_.Reroute(now_ms(), room, routes, generation);
  redis_.Reroute(room, routes, generation);
}

void DirectoryPair::Routes(const core::RoomId& room, core::Generation generation) {
  auto expected = memory_.Routes(now_ms(), room, generation);
  auto actual = redis_.Routes(room, generation);
  Sort(expected.routes);
  Sort(actual.routes);
  Compare("Routes", expected.routes, actual.routes);
  CompareVersion("Routes", room, expected.version, actual.version);
}

// ---- Messages

core::CommitReply DirectoryPair::Commit(const core::CommitRequest& request) {
  auto expected = memory_.Commit(now_ms(), request);
  auto actual = redis_.Commit(request);
  CompareVersion("Commit", request.message->room, expected.route_version, actual.route_version);
  actual.route_version = expected.route_version;
  Compare("Commit", expected, actual);
  return expected;
}

void DirectoryPair::TakeUnstored(const core::RoomId& room, const std::vector<core::MessageId>& ids,
                                 core::Generation generation) {
  Compare("TakeUnstored", memory_.TakeUnstored(now_ms(), room, ids, generation),
          redis_.TakeUnstored(room, ids, generation));
}

void DirectoryPair::MarkStored(const core::RoomId& room,
                               const std::vector<std::pair<core::MessageId, core::Seq>>& stored,
                               core::Generation generation) {
  memory_.MarkStored(now_ms(), room, stored, generation);
  redis_.MarkStored(room, stored, generation);
}

void DirectoryPair::UnstoredOlderThan(Duration age, core::Generation generation) {
  auto expected = memory_.UnstoredOlderThan(now_ms(), age, kNoLimit, generation);
  auto actual = redis_.UnstoredOlderThan(age, kNoLimit, generation);
  Sort(expected);
  Sort(actual);
  if (!Same(expected, actual)) Differs("UnstoredOlderThan");
}

void DirectoryPair::Window(const core::WindowRequest& request) {
  const auto expected = memory_.Window(now_ms(), request);
  const auto actual = redis_.Window(request);
  Compare("Window: cold", expected.cold, actual.cold);
  Compare("Window: empty", expected.empty, actual.empty);
  Compare("Window: lowest seq", expected.lowest_seq, actual.lowest_seq);
  Compare("Window: lowest prev", expected.lowest_prev, actual.lowest_prev);
  Compare("Window: head", expected.head, actual.head);
  if (!Same(expected.messages, actual.messages)) Differs("Window: messages");
}

void DirectoryPair::Heads(const std::vector<core::RoomId>& rooms, core::Generation generation) {
  auto expected = memory_.Heads(now_ms(), rooms, generation);
  auto actual = redis_.Heads(rooms, generation);
  // Warming draws a version, each side its own.
  for (auto* heads : {&expected, &actual}) {
    for (core::RoomHead& head : *heads) head.route_version = head.route_version != 0 ? 1 : 0;
  }
  Compare("Heads", expected, actual);
}

// ---- Warming

void DirectoryPair::Lease(const core::RoomId& room, const std::string& token,
                          core::Generation generation) {
  Compare("Lease", memory_.Lease(now_ms(), room, token, generation),
          redis_.Lease(room, token, generation));
}

void DirectoryPair::Warm(const core::WarmRequest& request) {
  const bool was_cold = memory_.Routes(now_ms(), request.room, request.generation).version == 0;
  const auto outcome = memory_.Warm(now_ms(), request);
  Compare("Warm", outcome, redis_.Warm(request));
  if (was_cold && outcome == core::WarmOutcome::kDone) version_offsets_.erase(request.room);
}

// ---- Books

void DirectoryPair::CheckBooks(const std::vector<core::RoomId>& rooms) {
  std::int64_t total = 0;
  for (const core::RoomId& room : rooms) CheckRoomsBooks(room, &total);
  const std::string counted = server_.Command({"GET", "minichat:hotbytes"});
  if (total != (counted.empty() ? 0 : std::stoll(counted))) Differs("books: total bytes");
}

void DirectoryPair::CheckRoomsBooks(const core::RoomId& room, std::int64_t* total) {
  const std::string key = "{r:" + room.value() + "}:";
  const std::string meta_bytes = server_.Command({"HGET", key + "m", "bytes"});
  if (meta_bytes.empty()) return;  // cold
  static const char* const kWeigh =
      "local sum = 0 for _, e in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do "
      "sum = sum + tonumber(e[2][6]) end return sum";
  if (server_.Command({"EVAL", kWeigh, "1", key + "hot"}) != meta_bytes) {
    Differs("books: bytes of a room");
  }
  const bool all_stored = server_.Command({"HLEN", key + "u"}) == "0";
  const bool idle = server_.Command({"HGET", key + "m", "idle"}) == "1";
  const bool listed = !server_.Command({"ZSCORE", "minichat:unstored", room.value()}).empty();
  // The janitor takes rooms of earlier generations off the list.
  const bool current =
      server_.Command({"HGET", key + "m", "gen"}) == server_.Command({"HGET", "minichat:gen", "n"});
  const bool listed_rightly = current ? listed != all_stored : !(listed && all_stored);
  const bool forgets = server_.Command({"PTTL", key + "m"}) != "-1";
  const std::string window_ttl = server_.Command({"PTTL", key + "hot"});  // -2: there is none
  const bool window_forgets = window_ttl != "-1" && window_ttl != "-2";
  if (idle != all_stored || forgets != all_stored || !listed_rightly ||
      (window_ttl != "-2" && window_forgets != all_stored)) {
    Differs("books: idle");
  }
  if (!idle) *total += std::stoll(meta_bytes);
}

}  // namespace minichat::test
