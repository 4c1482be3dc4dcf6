#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "loadtest/client/client_loop.h"

namespace minichat::loadtest {

struct LoadShape {
  std::size_t nodes = 3;
  std::size_t rooms = 1;
  std::size_t members = 6;
  std::size_t messages = 100;
  double rate = 100;  // per second
};

// Who is where, and who sends what when: worked out before the run, so that what must come of it
// can be computed. Members are spread evenly over the nodes, each room starting at another one, and
// take turns at sending.
//
// Threading: immutable.
class LoadPlan {
 public:
  // `label` makes rooms and cids unique: [A-Za-z0-9-] only.
  LoadPlan(LoadShape shape, std::string label) : shape_(shape), label_(std::move(label)) {}

  const LoadShape& shape() const { return shape_; }
  std::string Room(std::size_t room) const { return label_ + "-r" + std::to_string(room); }
  std::vector<std::string> Rooms() const;
  std::string User(std::size_t room, std::size_t member) const;
  std::size_t NodeOf(std::size_t room, std::size_t member) const {
    return (room + member) % shape_.nodes;
  }
  std::size_t RoomOf(std::size_t message) const { return message % shape_.rooms; }
  std::size_t SenderOf(std::size_t message) const {
    return (message / shape_.rooms) % shape_.members;
  }
  // Also the message's text, so that who receives it knows which one it is.
  std::string Cid(std::size_t message) const { return label_ + "-m" + std::to_string(message); }
  // The message with this text; messages() when it is none of this plan.
  std::size_t MessageOf(const std::string& text) const;
  // The intended time, counted from the start.
  Clock::duration SendTime(std::size_t message) const;

  std::size_t Deliveries() const { return shape_.messages * shape_.members; }
  // Relay calls of all nodes together, when every message is sent.
  std::size_t RelayCalls(const std::string& mode) const;
  // Ordered pairs (sender's node, receiver's node) that at least one message must cross.
  std::size_t NodePairs() const;

 private:
  std::size_t MembersOn(std::size_t room, std::size_t node) const;
  std::size_t CallsOf(std::size_t message, bool single) const;

  const LoadShape shape_;
  const std::string label_;
};

}  // namespace minichat::loadtest
