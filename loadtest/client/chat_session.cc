#include "loadtest/client/chat_session.h"

#include <utility>

namespace minichat::loadtest {
namespace {

namespace json = boost::json;

std::string TextOf(const json::object& body, std::string_view key) {
  const json::value* value = body.if_contains(key);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(value->get_string());
}

Seq NumberOf(const json::object& body, std::string_view key) {
  const json::value* value = body.if_contains(key);
  if (value == nullptr) return 0;
  if (value->is_uint64()) return value->get_uint64();
  return value->is_int64() ? static_cast<Seq>(value->get_int64()) : 0;
}

bool FlagOf(const json::object& body, std::string_view key) {
  const json::value* value = body.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

// An event's text, or its data as JSON.
std::string BodyOf(const json::object& body) {
  const json::value* data = body.if_contains("data");
  return data != nullptr ? json::serialize(*data) : TextOf(body, "text");
}

}  // namespace

std::string Reply::Text(std::string_view key) const {
  return TextOf(body, key);
}
Seq Reply::Number(std::string_view key) const {
  return NumberOf(body, key);
}
bool Reply::Flag(std::string_view key) const {
  return FlagOf(body, key);
}

ChatSession::ChatSession(ClientLoop& loop, const Endpoint& endpoint, std::string user,
                         Resume resume, std::string token)
    : loop_(loop),
      user_(std::move(user)),
      resume_(std::move(resume)),
      token_(std::move(token)),
      connection_(std::make_unique<Connection>(loop_, endpoint, *this)) {}

void ChatSession::OnOpen() {
  json::object hello{{"op", "hello"}};
  hello[token_.empty() ? "user" : "token"] = token_.empty() ? user_ : token_;
  if (!resume_.empty()) {
    json::object resume;
    for (const auto& [room, seq] : resume_) resume[room] = seq;
    hello["resume"] = std::move(resume);
  }
  connection_->SendText(json::serialize(hello));
}

ChatSession::Rid ChatSession::Request(json::object body) {
  const Rid rid = next_rid_++;
  body["rid"] = rid;
  connection_->SendText(json::serialize(body));
  return rid;
}

ChatSession::Rid ChatSession::Join(const std::string& room, std::optional<Seq> since) {
  json::object body{{"op", "join"}, {"room", room}};
  if (since) body["since"] = *since;
  return Request(std::move(body));
}

ChatSession::Rid ChatSession::Leave(const std::string& room) {
  return Request({{"op", "leave"}, {"room", room}});
}

ChatSession::Rid ChatSession::Send(const std::string& room, const std::string& cid,
                                   std::string_view text, bool resend) {
  json::object body{{"op", "send"}, {"room", room}, {"cid", cid}, {"text", text}};
  if (resend) body["resend"] = true;
  return Request(std::move(body));
}

ChatSession::Rid ChatSession::HistoryAfter(const std::string& room, Seq after, int limit) {
  return Request({{"op", "history"}, {"room", room}, {"after", after}, {"limit", limit}});
}

ChatSession::Rid ChatSession::Who(const std::string& room) {
  return Request({{"op", "who"}, {"room", room}});
}

void ChatSession::Type(const std::string& room) {
  connection_->SendText(json::serialize(json::object{{"op", "typing"}, {"room", room}}));
}

const Reply* ChatSession::Find(Rid rid) const {
  const auto it = replies_.find(rid);
  return it == replies_.end() ? nullptr : &it->second;
}

void ChatSession::OnText(std::string_view text) {
  json::error_code ec;
  json::value value = json::parse(text, ec);
  if (ec || !value.is_object()) {
    stray_errors_.push_back("not a JSON object: " + std::string(text));
    return;
  }
  json::object& body = value.get_object();
  std::string op = TextOf(body, "op");
  if (op == "message") return OnMessage(body);
  if (op == "welcome") return NoteWelcome(std::move(body));
  if (op == "gap") return OnGap(body);
  if (op == "presence") return OnPresence(body);
  if (op == "typing") return rooms_[TextOf(body, "room")].typing.push_back(TextOf(body, "user"));
  if (op == "bye") {
    bye_ = TextOf(body, "reason");
  } else if (body.contains("rid") && !body.at("rid").is_null()) {
    OnAnswer(std::move(op), std::move(body));
  } else if (op == "error") {
    stray_errors_.push_back(TextOf(body, "code"));
  }
}

void ChatSession::NoteWelcome(json::object body) {
  node_ = TextOf(body, "node");
  if (const json::value* resumed = body.if_contains("resumed"); resumed && resumed->is_object()) {
    for (const auto& [room, state] : resumed->get_object()) {
      RoomView& view = rooms_[std::string(room)];
      view.joined = true;
      if (!state.is_object()) continue;
      view.recovered = FlagOf(state.get_object(), "recovered");
      view.head = NumberOf(state.get_object(), "head");
    }
  }
  welcome_ = std::move(body);
  if (on_welcome_) on_welcome_();
}

void ChatSession::OnMessage(const json::object& body) {
  const std::string room = TextOf(body, "room");
  RoomView& view = rooms_[room];
  Delivery delivery{NumberOf(body, "seq"), TextOf(body, "id"), TextOf(body, "from"), BodyOf(body)};
  if (!view.ids.insert(delivery.id).second) ++view.twice;
  if (delivery.seq <= view.last) ++view.out_of_order;
  view.last = delivery.seq;
  view.deliveries.push_back(std::move(delivery));
  if (on_delivery_) on_delivery_(room, view.deliveries.back());
}

void ChatSession::OnGap(const json::object& body) {
  rooms_[TextOf(body, "room")].gaps.push_back({NumberOf(body, "from"), NumberOf(body, "to")});
}

void ChatSession::OnPresence(const json::object& body) {
  rooms_[TextOf(body, "room")].presence.push_back({TextOf(body, "user"), TextOf(body, "state")});
}

void ChatSession::OnAnswer(std::string op, json::object body) {
  const Rid rid = NumberOf(body, "rid");
  if (op == "joined") NoteJoined(body);
  if (op == "left") rooms_[TextOf(body, "room")].joined = false;
  std::string code = TextOf(body, "code");
  const Reply& reply = replies_[rid] =
      Reply{std::move(op), std::move(code), std::move(body), Clock::now()};
  const auto callback = callbacks_.extract(rid);
  if (callback) callback.mapped()(reply);
}

void ChatSession::NoteJoined(const json::object& body) {
  RoomView& view = rooms_[TextOf(body, "room")];
  view.joined = true;
  view.cursor = NumberOf(body, "cursor");
  view.head = NumberOf(body, "head");
  view.recovered = FlagOf(body, "recovered");
}

void ChatSession::OnClosed(const CloseInfo& info) {
  closed_ = info;
  if (on_end_) on_end_();
}

}  // namespace minichat::loadtest
