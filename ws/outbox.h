#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "server/base/scheduler.h"
#include "ws/connection.h"

namespace minichat::ws {

// Brings frames from the core's thread to the connections. Those of the core's own I/O thread are
// reached by a call; for each other thread, what one turn of the core produced goes over in one
// post, however many recipients it has (docs/adr/0002-one-core-thread.md).
//
// Lifetime:  the io_contexts outlive it; it outlives the core's scheduler's last turn.
// Threading: confined to the core's thread.
// Ordering:  per connection, in the order of the calls.
class Outbox {
 public:
  Outbox(Scheduler& core, std::vector<boost::asio::io_context*> io)
      : core_(core), io_(std::move(io)), batches_(io_.size()) {}

  void Send(const std::shared_ptr<Connection>& connection, Frame frame);
  void SendLatest(const std::shared_ptr<Connection>& connection, std::string key, Frame frame);
  void Close(const std::shared_ptr<Connection>& connection, CloseReason reason);

 private:
  struct Item {
    std::shared_ptr<Connection> connection;
    Frame frame;                        // or
    std::optional<CloseReason> reason;  // a wish to close
    std::string latest_key = "";        // the frame is for SendLatest()
  };
  using Batch = std::vector<Item>;

  void Put(Item item);
  void Flush();

  Scheduler& core_;
  const std::vector<boost::asio::io_context*> io_;
  std::vector<Batch> batches_;  // by I/O thread
  bool flush_posted_ = false;
};

}  // namespace minichat::ws
