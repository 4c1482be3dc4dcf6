#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json.hpp>

#include "loadtest/client/connection.h"

namespace minichat::loadtest {

using Seq = std::uint64_t;

// One event as a session received it.
struct Delivery {
  Seq seq = 0;
  std::string id;
  std::string from;
  std::string text;
};

struct Gap {
  Seq from = 0;
  Seq to = 0;
};

// Who came or went, as it was told.
struct PresenceNews {
  std::string user;
  std::string state;

  bool operator==(const PresenceNews&) const = default;
};

// What one session has seen of one room, checked as it comes in.
struct RoomView {
  bool joined = false;
  Seq cursor = 0;  // of the join's answer
  Seq head = 0;
  bool recovered = false;
  Seq last = 0;                      // of the last event
  std::vector<Delivery> deliveries;  // in the order of arrival
  std::unordered_set<std::string> ids;
  std::size_t twice = 0;         // events whose id was here already
  std::size_t out_of_order = 0;  // events whose seq is not above the one before
  std::vector<Gap> gaps;
  std::vector<PresenceNews> presence;  // in the order of arrival
  std::vector<std::string> typing;     // users
};

// The answer to a request.
struct Reply {
  std::string op;    // "ack", "joined", "history", …, or "error"
  std::string code;  // of an error
  boost::json::object body;
  Clock::time_point at;

  bool ok() const { return op != "error"; }
  std::string Text(std::string_view key) const;
  Seq Number(std::string_view key) const;
  bool Flag(std::string_view key) const;
};

// One chat session over one connection, as docs/protocol.md tells it: says hello when the
// connection opens, matches answers to requests, and keeps exact account of what it received.
//
// Lifetime:  the loop outlives it. May not be destroyed from its own callbacks.
// Threading: confined to the loop's thread.
// Errors:    Reply says how a request ended; requests of a connection that ended have no reply.
// Limits:    keeps every event and reply: for runs of some millions of events.
class ChatSession final : public ConnectionHandler {
 public:
  using Rid = std::uint64_t;
  using Resume = std::map<std::string, Seq>;
  using DeliveryCallback = std::function<void(const std::string& room, const Delivery&)>;
  using ReplyCallback = std::function<void(const Reply&)>;
  using Callback = std::function<void()>;

  // With insecure auth the user's name is enough; else `token` says who it is.
  ChatSession(ClientLoop& loop, const Endpoint& endpoint, std::string user, Resume resume = {},
              std::string token = {});

  Rid Join(const std::string& room, std::optional<Seq> since = std::nullopt);
  Rid Leave(const std::string& room);
  Rid Send(const std::string& room, const std::string& cid, std::string_view text,
           bool resend = false);
  Rid HistoryAfter(const std::string& room, Seq after, int limit);
  Rid Who(const std::string& room);
  void Type(const std::string& room);
  // Any request: "rid" is added.
  Rid Request(boost::json::object body);
  // The reply, if it has come.
  const Reply* Find(Rid rid) const;
  // Called as replies come, after they are kept.
  void OnReply(Rid rid, ReplyCallback callback) { callbacks_[rid] = std::move(callback); }
  void OnDelivery(DeliveryCallback callback) { on_delivery_ = std::move(callback); }
  void OnWelcome(Callback callback) { on_welcome_ = std::move(callback); }
  void OnEnd(Callback callback) { on_end_ = std::move(callback); }

  bool welcome() const { return welcome_.has_value(); }
  const std::string& node() const { return node_; }
  const std::string& user() const { return user_; }
  const boost::json::object& welcome_body() const { return *welcome_; }
  bool closed() const { return closed_.has_value(); }
  const CloseInfo& close_info() const { return *closed_; }
  // The reason of a `bye`; empty before one.
  const std::string& bye() const { return bye_; }
  // Errors that answer no request.
  const std::vector<std::string>& stray_errors() const { return stray_errors_; }
  const RoomView& room(const std::string& room) { return rooms_[room]; }
  Connection& connection() { return *connection_; }

 private:
  void OnOpen() override;
  void OnText(std::string_view text) override;
  void OnClosed(const CloseInfo& info) override;

  void NoteWelcome(boost::json::object body);
  void OnMessage(const boost::json::object& body);
  void OnGap(const boost::json::object& body);
  void OnPresence(const boost::json::object& body);
  void OnAnswer(std::string op, boost::json::object body);
  void NoteJoined(const boost::json::object& body);

  ClientLoop& loop_;
  const std::string user_;
  const Resume resume_;
  const std::string token_;

  std::optional<boost::json::object> welcome_;
  std::string node_;
  std::optional<CloseInfo> closed_;
  std::string bye_;
  std::vector<std::string> stray_errors_;
  std::unordered_map<std::string, RoomView> rooms_;
  std::unordered_map<Rid, Reply> replies_;
  std::unordered_map<Rid, ReplyCallback> callbacks_;
  DeliveryCallback on_delivery_;
  Callback on_welcome_;
  Callback on_end_;
  Rid next_rid_ = 1;
  std::unique_ptr<Connection> connection_;
};

}  // namespace minichat::loadtest
