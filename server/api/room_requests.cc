#include "server/api/room_requests.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "server/base/utf8.h"
#include "server/core/moderation.h"
#include "server/wire/json_fields.h"

namespace minichat::api {
namespace {

using core::ClientError;
using core::ClientResult;
using wire::JsonDocument;
using wire::JsonFields;

constexpr std::uint64_t kMaxHistoryLimit = 200;

ClientError Bad(std::string message) {
  return {core::ErrorCode::kBadRequest, std::move(message), std::nullopt};
}

// What is wrong with the body as a whole.
std::optional<ClientError> FaultOf(const JsonDocument& document) {
  if (!document.trouble().empty()) return Bad("body: " + document.trouble());
  if (const std::string fault = document.Fault(); !fault.empty()) return Bad("body: " + fault);
  return std::nullopt;
}

// A misspelt name must not be ignored in silence.
void CheckNames(JsonFields& fields, std::initializer_list<std::string_view> known) {
  for (const auto& member : fields.document().object()) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    fields.Fail(IsId(name) ? name : "body", "unknown name");
  }
}

// A number of the query; null when it isn't there.
class Query {
 public:
  explicit Query(const HttpRequest& request) : query_(request.query) {}

  std::optional<std::uint64_t> Number(const std::string& name, std::uint64_t min,
                                      std::uint64_t max) {
    const auto found = query_.find(name);
    if (found == query_.end()) return std::nullopt;
    const std::string& text = found->second;
    std::uint64_t number = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (ec == std::errc() && end == text.data() + text.size() && number >= min && number <= max) {
      return number;
    }
    Fail(name + ": must be a whole number from " + std::to_string(min) + " to " +
         std::to_string(max));
    return std::nullopt;
  }
  void CheckNames(std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : query_) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      Fail("query: " + (IsId(name) ? "\"" + name + "\" is unknown" : "holds an unknown name"));
    }
  }
  void Fail(std::string message) {
    if (!error_) error_ = Bad(std::move(message));
  }
  const std::optional<ClientError>& error() const { return error_; }

 private:
  const std::map<std::string, std::string>& query_;
  std::optional<ClientError> error_;
};

}  // namespace

ClientResult<CreateRoomRequest> ReadCreateRoom(std::string_view body) {
  const JsonDocument document(body);
  if (auto fault = FaultOf(document)) return std::move(*fault);
  JsonFields fields("", document);
  CreateRoomRequest request;
  request.room = core::RoomId(fields.Id("room"));
  for (std::string& user : fields.Ids("members", core::Moderation::kMaxFirstMembers)) {
    request.members.emplace_back(std::move(user));
  }
  CheckNames(fields, {"room", "members"});
  if (fields.error()) return *fields.error();
  return request;
}

ClientResult<PublishRequest> ReadPublish(std::string_view body) {
  const JsonDocument document(body);
  if (auto fault = FaultOf(document)) return std::move(*fault);
  JsonFields fields("", document);
  PublishRequest request;
  request.from = core::UserId(fields.Id("from"));
  request.message = wire::ReadMessage(fields);
  CheckNames(fields, {"from", "cid", "resend", "text", "data"});
  if (fields.error()) return *fields.error();
  return request;
}

ClientResult<std::string> ReadId(const HttpRequest& request, const std::string& name) {
  const std::string& id = request.parameters.at(name);
  if (IsId(id)) return id;
  return Bad(name + ": " + wire::kIdRule);
}

ClientResult<core::HistoryRequest> ReadHistoryQuery(const HttpRequest& request) {
  Query query(request);
  core::HistoryRequest history;
  history.after = query.Number("after", 0, core::kMaxSeq);
  history.before = query.Number("before", 0, core::kMaxSeq);
  if (history.after && history.before) query.Fail("before: can't stand beside after");
  history.limit = query.Number("limit", 1, kMaxHistoryLimit).value_or(history.limit);
  query.CheckNames({"after", "before", "limit"});
  if (query.error()) return *query.error();
  return history;
}

ClientResult<core::UserId> ReadSessionsQuery(const HttpRequest& request) {
  Query query(request);
  core::UserId wanted;
  if (const auto user = request.query.find("user"); user != request.query.end()) {
    if (!IsId(user->second)) query.Fail(std::string("user: ") + wire::kIdRule);
    wanted = core::UserId(user->second);
  }
  query.CheckNames({"user"});
  if (query.error()) return *query.error();
  return wanted;
}

ClientResult<core::MembersRequest> ReadMembersQuery(const HttpRequest& request) {
  Query query(request);
  core::MembersRequest members;
  members.limit = query.Number("limit", 1, core::Moderation::kMaxPage).value_or(100);
  if (const auto after = request.query.find("after"); after != request.query.end()) {
    if (!IsId(after->second)) query.Fail(std::string("after: ") + wire::kIdRule);
    members.after = core::UserId(after->second);
  }
  query.CheckNames({"after", "limit"});
  if (query.error()) return *query.error();
  return members;
}

}  // namespace minichat::api
