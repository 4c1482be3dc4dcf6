#include "storage/redis/reply_codec.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include <hiredis/hiredis.h>

namespace minichat::redis {
namespace {

using core::Generation;
using core::Seq;

constexpr const char* kNothing = "*";  // in place of an empty id; no id is that

Status BadReply(const char* what) {
  return Internal(std::string("redis: unexpected reply to ") + what);
}

char KindOf(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      return 's';
    case REDIS_REPLY_INTEGER:
      return 'i';
    case REDIS_REPLY_ARRAY:
      return 'a';
    default:
      return '?';
  }
}

// Whether the reply is an array that starts with elements of these kinds: s string, i integer,
// a array.
bool StartsWith(const redisReply& reply, std::string_view kinds) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements < kinds.size()) return false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (KindOf(*reply.element[i]) != kinds[i]) return false;
  }
  return true;
}

bool IsArrayOf(const redisReply& reply, char kind) {
  return reply.type == REDIS_REPLY_ARRAY && StartsWith(reply, std::string(reply.elements, kind));
}

const redisReply& At(const redisReply& reply, std::size_t i) {
  return *reply.element[i];
}

std::string_view Text(const redisReply& reply) {
  return {reply.str, reply.len};
}

std::string TextAt(const redisReply& reply, std::size_t i) {
  return std::string(Text(At(reply, i)));
}

std::uint64_t NumberAt(const redisReply& reply, std::size_t i) {
  return static_cast<std::uint64_t>(At(reply, i).integer);
}

// The digits at the start of `text`.
bool ParseNumber(std::string_view text, std::uint64_t* number) {
  return std::from_chars(text.data(), text.data() + text.size(), *number).ec == std::errc();
}

bool ParseRoute(std::string_view session, std::string_view value, core::Route* route) {
  const auto first = value.find(' ');
  const auto second = first == std::string_view::npos ? first : value.find(' ', first + 1);
  if (second == std::string_view::npos) return false;
  route->session = core::SessionId(std::string(session));
  route->user = core::UserId(std::string(value.substr(0, first)));
  route->node = core::NodeName(std::string(value.substr(first + 1, second - first - 1)));
  route->incarnation = core::Incarnation(std::string(value.substr(second + 1)));
  return true;
}

std::optional<core::AccessChange> ParseAccessChange(const std::string& text) {
  using Kind = core::AccessChange::Kind;
  int kind = 0;
  std::string user, room, session;
  core::AccessChange change;
  std::istringstream words(text);
  if (!(words >> kind >> user >> room >> session >> change.before_ms)) return std::nullopt;
  if (kind < 0 || kind > static_cast<int>(Kind::kRevoked)) return std::nullopt;
  change.kind = static_cast<Kind>(kind);
  if (user != kNothing) change.user = core::UserId(user);
  if (room != kNothing) change.room = core::RoomId(room);
  if (session != kNothing) change.session = core::SessionId(session);
  return change;
}

// ["SEQ-0", ["p", prev, "i", id, "w", weight, "e", event]]
bool ParseEntry(const redisReply& reply, Generation generation, core::PlacedMessage* placed) {
  if (!StartsWith(reply, "sa") || !StartsWith(At(reply, 1), "ssssssss")) return false;
  const redisReply& fields = At(reply, 1);
  placed->place.generation = generation;
  std::string error;
  placed->message = core::ParseMessage(Text(At(fields, 7)), nullptr, &error);
  return placed->message != nullptr && ParseNumber(Text(At(reply, 0)), &placed->place.seq) &&
         ParseNumber(Text(At(fields, 1)), &placed->place.prev);
}

}  // namespace

// ---- Generations and nodes

Result<core::GenerationMark> DecodeGeneration(const redisReply& reply) {
  if (!StartsWith(reply, "sii")) return BadReply("generation");
  return core::GenerationMark{TextAt(reply, 0), NumberAt(reply, 1), At(reply, 2).integer};
}

Result<core::RegisterOutcome> DecodeRegister(const redisReply& reply) {
  if (KindOf(reply) != 'i') return BadReply("register");
  return reply.integer == 1 ? core::RegisterOutcome::kOk : core::RegisterOutcome::kTaken;
}

Result<Beat> DecodeHeartbeat(const redisReply& reply) {
  using Outcome = core::HeartbeatReply::Outcome;
  if (!StartsWith(reply, "saisii")) return BadReply("heartbeat");
  Beat beat;
  const std::string_view outcome = Text(At(reply, 0));
  beat.reply.outcome = outcome == "ok"     ? Outcome::kOk
                       : outcome == "gone" ? Outcome::kGone
                                           : Outcome::kTaken;
  const redisReply& nodes = At(reply, 1);
  for (std::size_t i = 0; i < nodes.elements; ++i) {
    const redisReply& node = At(nodes, i);
    if (!StartsWith(node, "sss")) return BadReply("heartbeat");
    beat.reply.live_nodes.push_back(
        {core::NodeName(TextAt(node, 0)), core::Incarnation(TextAt(node, 1)), TextAt(node, 2)});
  }
  std::sort(beat.reply.live_nodes.begin(), beat.reply.live_nodes.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  beat.reply.relay_mode = {NumberAt(reply, 2), TextAt(reply, 3)};
  beat.window_bytes = NumberAt(reply, 4);
  beat.reply.access_version = NumberAt(reply, 5);
  return beat;
}

Result<core::RelayModeSetting> DecodeRelayMode(const redisReply& reply) {
  if (!StartsWith(reply, "is")) return BadReply("relay_mode");
  return core::RelayModeSetting{NumberAt(reply, 0), TextAt(reply, 1)};
}

// ---- Access changes

Result<std::uint64_t> DecodeVersion(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_INTEGER) return BadReply("access_add");
  return static_cast<std::uint64_t>(reply.integer);
}

Result<core::AccessNews> DecodeAccessNews(const redisReply& reply) {
  if (!StartsWith(reply, "iia")) return BadReply("access_after");
  core::AccessNews news;
  news.version = NumberAt(reply, 0);
  news.complete = NumberAt(reply, 1) == 1;
  const redisReply& changes = At(reply, 2);
  for (std::size_t i = 0; i < changes.elements; ++i) {
    const auto change = ParseAccessChange(TextAt(changes, i));
    if (!change) return BadReply("access_after");
    news.changes.push_back(*change);
  }
  return news;
}

std::string EncodeAccessChange(const core::AccessChange& change) {
  const auto word = [](const std::string& text) { return text.empty() ? kNothing : text; };
  return std::to_string(static_cast<int>(change.kind)) + " " + word(change.user.value()) + " " +
         word(change.room.value()) + " " + word(change.session.value()) + " " +
         std::to_string(change.before_ms);
}

// ---- Routes

Result<core::JoinOutcome> DecodeJoin(const redisReply& reply) {
  if (!StartsWith(reply, "s")) return BadReply("join");
  if (Text(At(reply, 0)) == "cold") return core::JoinOutcome{.cold = true};
  if (!StartsWith(reply, "sii")) return BadReply("join");
  return core::JoinOutcome{false, NumberAt(reply, 1), NumberAt(reply, 2)};
}

Result<core::RoomRoutes> DecodeRoutes(const redisReply& reply) {
  if (!StartsWith(reply, "ia") || !IsArrayOf(At(reply, 1), 's')) return BadReply("routes");
  core::RoomRoutes result{NumberAt(reply, 0), {}};
  const redisReply& pairs = At(reply, 1);
  result.routes.resize(pairs.elements / 2);
  for (std::size_t i = 0; i < result.routes.size(); ++i) {
    if (!ParseRoute(Text(At(pairs, 2 * i)), Text(At(pairs, 2 * i + 1)), &result.routes[i])) {
      return BadReply("routes");
    }
  }
  return result;
}

std::string EncodeRoute(const core::Route& route) {
  return route.user.value() + " " + route.node.value() + " " + route.incarnation.value();
}

// ---- Messages

Result<core::CommitReply> DecodeCommit(const redisReply& reply, Generation generation) {
  using Outcome = core::CommitReply::Outcome;
  if (!StartsWith(reply, "s")) return BadReply("commit");
  const std::string_view outcome = Text(At(reply, 0));
  core::CommitReply result;
  if (outcome == "cold" || outcome == "full") {
    result.outcome = outcome == "cold" ? Outcome::kCold : Outcome::kFull;
    return result;
  }
  if (outcome == "miss" && StartsWith(reply, "si")) {
    result.outcome = Outcome::kMiss;
    result.miss = {At(reply, 1).integer, generation};
    return result;
  }
  if (!StartsWith(reply, "siiiiiii")) return BadReply("commit");
  result.outcome = outcome == "placed" ? Outcome::kPlaced : Outcome::kConflict;
  result.place = {NumberAt(reply, 1), NumberAt(reply, 2), generation};
  result.route_version = NumberAt(reply, 3);
  result.duplicate = NumberAt(reply, 4) == 1;
  result.own_attempt = NumberAt(reply, 5) == 1;
  result.sent_at_ms = At(reply, 6).integer;
  result.filling = NumberAt(reply, 7) == 1;
  return result;
}

Result<std::vector<core::UnstoredPlace>> DecodeUnstoredPlaces(const redisReply& reply,
                                                              Generation generation) {
  if (!IsArrayOf(reply, 'a')) return BadReply("take");
  std::vector<core::UnstoredPlace> places(reply.elements);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const redisReply& place = At(reply, i);
    if (!StartsWith(place, "siis") ||
        !core::MessageId::FromBytes(Text(At(place, 0)), &places[i].id) ||
        !ParseNumber(Text(At(place, 3)), &places[i].hash)) {
      return BadReply("take");
    }
    places[i].place = {NumberAt(place, 1), NumberAt(place, 2), generation};
  }
  return places;
}

Result<std::vector<core::PlacedMessage>> DecodeEntries(const redisReply& reply,
                                                       Generation generation) {
  if (!IsArrayOf(reply, 'a')) return BadReply("window");
  std::vector<core::PlacedMessage> entries(reply.elements);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!ParseEntry(At(reply, i), generation, &entries[i])) return BadReply("window");
  }
  return entries;
}

Result<core::WindowReply> DecodeWindow(const redisReply& reply, Generation generation) {
  if (!StartsWith(reply, "s")) return BadReply("window");
  core::WindowReply result;
  result.cold = Text(At(reply, 0)) == "cold";
  if (result.cold) return result;
  if (!StartsWith(reply, "siaa")) return BadReply("window");
  result.head = NumberAt(reply, 1);
  const redisReply& lowest = At(reply, 2);
  result.empty = lowest.elements == 0;
  if (!result.empty) {
    if (!StartsWith(lowest, "ii")) return BadReply("window");
    result.lowest_seq = NumberAt(lowest, 0);
    result.lowest_prev = NumberAt(lowest, 1);
  }
  auto entries = DecodeEntries(At(reply, 3), generation);
  if (!entries.ok()) return entries.status();
  result.messages = std::move(entries).value();
  return result;
}

Result<std::vector<core::RoomHead>> DecodeHeads(const redisReply& reply) {
  constexpr std::size_t kFields = 4;
  if (!IsArrayOf(reply, 'i') || reply.elements % kFields != 0) return BadReply("heads");
  std::vector<core::RoomHead> heads(reply.elements / kFields);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::size_t first = kFields * i;
    heads[i].cold = At(reply, first).integer < 0;
    if (heads[i].cold) continue;
    heads[i].head = NumberAt(reply, first);
    heads[i].stored_upto = NumberAt(reply, first + 1);
    heads[i].route_version = NumberAt(reply, first + 2);
    heads[i].routes = static_cast<std::size_t>(NumberAt(reply, first + 3));
  }
  return heads;
}

// ---- Warming

Result<core::LeaseOutcome> DecodeLease(const redisReply& reply) {
  if (KindOf(reply) != 's') return BadReply("lease");
  const std::string_view outcome = Text(reply);
  if (outcome == "granted") return core::LeaseOutcome::kGranted;
  return outcome == "busy" ? core::LeaseOutcome::kBusy : core::LeaseOutcome::kOpen;
}

Result<core::WarmOutcome> DecodeWarm(const redisReply& reply) {
  if (KindOf(reply) != 's') return BadReply("warm");
  const std::string_view outcome = Text(reply);
  if (outcome == "done") return core::WarmOutcome::kDone;
  return outcome == "lease" ? core::WarmOutcome::kLeaseLost : core::WarmOutcome::kOtherGeneration;
}

}  // namespace minichat::redis
