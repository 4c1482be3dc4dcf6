#include "loadtest/load/load_session.h"

#include <utility>

#include "loadtest/load/event_scan.h"

namespace minichat::loadtest {
namespace {

namespace json = boost::json;

std::string_view TextOf(const json::object& frame, std::string_view key) {
  const json::value* value = frame.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

std::uint64_t NumberOf(const json::object& frame, std::string_view key) {
  const json::value* value = frame.if_contains(key);
  json::error_code ec;
  return value == nullptr ? 0 : value->to_number<std::uint64_t>(ec);
}

bool FlagOf(const json::object& frame, std::string_view key) {
  const json::value* value = frame.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace

LoadSession::LoadSession(ClientLoop& loop, const Endpoint& endpoint, LoadObserver& observer,
                         std::size_t index, std::string user, std::string room)
    : observer_(observer),
      index_(index),
      user_(std::move(user)),
      room_(std::move(room)),
      connection_(loop, endpoint, *this) {}

void LoadSession::OnOpen() {
  connection_.SendText(json::serialize(json::object{{"op", "hello"}, {"user", user_}}));
}

void LoadSession::Join() {
  connection_.SendText(json::serialize(json::object{{"op", "join"}, {"rid", 0}, {"room", room_}}));
}

void LoadSession::Send(std::uint64_t rid, std::string_view cid, std::string_view text) {
  out_ = R"({"op":"send","rid":)";
  out_.append(std::to_string(rid)).append(R"(,"room":")").append(room_);
  out_.append(R"(","cid":")").append(cid).append(R"(","text":")").append(text).append(R"("})");
  connection_.SendText(out_);
}

void LoadSession::OnText(std::string_view text) {
  if (const auto event = ScanEvent(text)) {
    return observer_.OnEvent(*this, event->seq, event->id, event->text);
  }
  json::error_code ec;
  const json::value value = json::parse(text, ec);
  if (!ec && value.is_object()) OnOther(value.get_object());
}

void LoadSession::OnOther(const json::object& frame) {
  const std::string_view op = TextOf(frame, "op");
  if (op == "ack") {
    observer_.OnAck(*this, NumberOf(frame, "rid"), TextOf(frame, "id"), FlagOf(frame, "duplicate"));
  } else if (op == "message") {
    observer_.OnEvent(*this, NumberOf(frame, "seq"), TextOf(frame, "id"), TextOf(frame, "text"));
  } else if (op == "welcome") {
    Join();
  } else if (op == "joined") {
    joined_ = true;
    joined_at_ = NumberOf(frame, "cursor");
    observer_.OnJoined(*this);
  } else if (op == "error") {
    observer_.OnError(*this, NumberOf(frame, "rid"), std::string(TextOf(frame, "code")));
  }
}

void LoadSession::OnClosed(const CloseInfo& info) {
  ended_ = true;
  observer_.OnEnd(*this, info);
}

}  // namespace minichat::loadtest
