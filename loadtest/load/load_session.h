#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "loadtest/client/connection.h"

namespace minichat::loadtest {

class LoadSession;

// What a load session tells the one who made it.
class LoadObserver {
 public:
  virtual ~LoadObserver() = default;
  virtual void OnJoined(LoadSession& session) = 0;
  virtual void OnEvent(LoadSession& session, std::uint64_t seq, std::string_view id,
                       std::string_view text) = 0;
  virtual void OnAck(LoadSession& session, std::uint64_t rid, std::string_view id,
                     bool duplicate) = 0;
  virtual void OnError(LoadSession& session, std::uint64_t rid, const std::string& code) = 0;
  virtual void OnEnd(LoadSession& session, const CloseInfo& info) = 0;
};

// One member of one room, as cheap as a client can be: it keeps nothing of what it receives.
// For sessions that keep everything see ChatSession.
//
// Lifetime:  the loop and the observer outlive it. May not be destroyed from a callback.
// Threading: confined to the loop's thread.
// Errors:    a refused join is OnError() with rid 0; OnEnd() says why the connection ended.
class LoadSession final : private ConnectionHandler {
 public:
  LoadSession(ClientLoop& loop, const Endpoint& endpoint, LoadObserver& observer, std::size_t index,
              std::string user, std::string room);

  // `text` must need no escaping. `rid` comes back with the answer; 0 is taken.
  void Send(std::uint64_t rid, std::string_view cid, std::string_view text);
  void Join();
  void Close() { connection_.Close(1000); }

  std::size_t index() const { return index_; }
  bool joined() const { return joined_; }
  // The room's last number that is not for this session.
  std::uint64_t joined_at() const { return joined_at_; }
  bool ended() const { return ended_; }
  Connection& connection() { return connection_; }

 private:
  void OnOpen() override;
  void OnText(std::string_view text) override;
  void OnClosed(const CloseInfo& info) override;

  void OnOther(const boost::json::object& frame);

  LoadObserver& observer_;
  const std::size_t index_;
  const std::string user_;
  const std::string room_;
  bool joined_ = false;
  std::uint64_t joined_at_ = 0;
  bool ended_ = false;
  std::string out_;
  Connection connection_;
};

}  // namespace minichat::loadtest
