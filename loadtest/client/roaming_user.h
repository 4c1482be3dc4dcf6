#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "loadtest/client/chat_session.h"

namespace minichat::loadtest {

// A user who does not give up, as a good client behaves: when the connection ends it goes to the
// next node and resumes; what was not acknowledged is sent again with resend:true. Keeps account
// over all of its sessions.
//
// Lifetime:  the loop outlives it.
// Threading: confined to the loop's thread.
class RoamingUser {
 public:
  struct Acked {
    std::string id;
    Seq seq = 0;
    bool duplicate = false;
  };
  struct RoomAccount {
    Seq last = 0;
    std::vector<Delivery> deliveries;
    std::unordered_set<std::string> ids;
    std::size_t twice = 0;
    std::size_t out_of_order = 0;
    std::size_t not_recovered = 0;  // resumes that the node could not serve
    std::vector<Gap> gaps;
  };

  // Begins with nodes[first].
  RoamingUser(ClientLoop& loop, std::vector<Endpoint> nodes, std::size_t first, std::string user,
              const std::vector<std::string>& rooms);

  // In all rooms, on the present connection?
  bool settled() const;
  void Send(const std::string& room, const std::string& cid, const std::string& text);
  // Resets the connection and goes to another node, as a phone does that changes its network.
  void MoveTo(std::size_t node);
  // No more reconnects or resends.
  void Retire();

  const std::map<std::string, Acked>& acked() const { return acked_; }
  std::size_t pending() const { return pending_.size(); }
  const RoomAccount& room(const std::string& room) { return rooms_[room]; }
  const std::string& user() const { return user_; }
  std::size_t connects() const { return sessions_.size(); }
  // Codes of the answers that were no ack.
  const std::map<std::string, std::size_t>& errors() const { return errors_; }
  ChatSession& session() { return *sessions_.back(); }

 private:
  struct Pending {
    std::string room;
    std::string text;
    bool sent_before = false;
  };

  void Connect();
  void ReconnectLater();
  void OnWelcome();
  void Join(const std::string& room);
  void Transmit(const std::string& cid);
  void OnSendReply(const std::string& cid, const Reply& reply);
  void OnDelivery(const std::string& room, const Delivery& delivery);
  // Runs `work` later unless the user has gone to another session by then.
  void Later(Clock::duration delay, std::function<void()> work);

  ClientLoop& loop_;
  const std::vector<Endpoint> nodes_;
  std::size_t node_;
  const std::string user_;
  std::map<std::string, RoomAccount> rooms_;
  std::map<std::string, Pending> pending_;  // by cid
  std::map<std::string, Acked> acked_;      // by cid
  std::map<std::string, std::size_t> errors_;
  std::vector<std::unique_ptr<ChatSession>> sessions_;  // the last one is in use
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool retired_ = false;
};

}  // namespace minichat::loadtest
