#include "ws/outbox.h"

#include <utility>

#include <boost/asio/post.hpp>

namespace minichat::ws {

void Outbox::Send(const std::shared_ptr<Connection>& connection, Frame frame) {
  connection->level().Add(frame->size());
  if (connection->io_index() == 0) return connection->Send(std::move(frame));
  Put({connection, std::move(frame), std::nullopt});
}

void Outbox::SendLatest(const std::shared_ptr<Connection>& connection, std::string key,
                        Frame frame) {
  if (connection->io_index() == 0) return connection->SendLatest(key, std::move(frame));
  Put({connection, std::move(frame), std::nullopt, std::move(key)});
}

void Outbox::Close(const std::shared_ptr<Connection>& connection, CloseReason reason) {
  if (connection->io_index() == 0) return connection->Close(reason);
  Put({connection, nullptr, reason});
}

void Outbox::Put(Item item) {
  batches_[item.connection->io_index()].push_back(std::move(item));
  if (flush_posted_) return;
  flush_posted_ = true;
  // Behind what the core has in hand: posting to one's own thread wakes nobody.
  core_.Post([this] { Flush(); });
}

void Outbox::Flush() {
  flush_posted_ = false;
  for (std::size_t i = 1; i < batches_.size(); ++i) {
    if (batches_[i].empty()) continue;
    boost::asio::post(*io_[i], [batch = std::exchange(batches_[i], {})] {
      for (const Item& item : batch) {
        if (item.reason) {
          item.connection->Close(*item.reason);
        } else if (!item.latest_key.empty()) {
          item.connection->SendLatest(item.latest_key, item.frame);
        } else {
          item.connection->Send(item.frame);
        }
      }
    });
  }
}

}  // namespace minichat::ws
