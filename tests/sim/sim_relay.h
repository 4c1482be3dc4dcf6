#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/core/ports/client_link.h"
#include "server/core/ports/relay.h"

namespace minichat::sim {

class SimNode;
class SimScheduler;
class SimWorld;

// A node's relay to the others: delays, reorders, repeats, loses.
class SimRelay final : public core::Relay {
 public:
  SimRelay(SimWorld& world, SimNode& node, SimScheduler& scheduler);

  void SetPeers(std::vector<core::NodeEntry> peers) override;
  void Deliver(const core::NodeName& node, const core::Incarnation& incarnation,
               core::EventPtr event, std::vector<core::SessionId> recipients, Deadline deadline,
               Callback<std::vector<core::RelayResult>> done) override;
  void SendTyping(const core::NodeName& node, const core::Incarnation& incarnation,
                  const core::Typing& typing) override;
  void OnClusterMode(const core::RelayModeSetting&) override {}

 private:
  struct Delivery;
  void SendPacket(const std::shared_ptr<Delivery>& delivery, std::vector<std::size_t> indexes);
  void Arrive(const std::shared_ptr<Delivery>& delivery, const std::vector<std::size_t>& indexes);
  void Answer(const std::shared_ptr<Delivery>& delivery, const std::vector<std::size_t>& indexes,
              const std::vector<core::RelayResult>& results);

  SimWorld& world_;
  SimNode& node_;
  SimScheduler& scheduler_;
  std::set<core::NodeName> peers_;
};

// The bytes say all that the event says, so that a client can check them.
class SimEncoder final : public core::EventEncoder {
 public:
  std::string Encode(const core::PlacedMessage& placed) const override;
  std::string EncodeNotice(core::Notice::Kind kind, const core::RoomId& room,
                           const core::UserId& user) const override;
  static std::string Expected(const core::Event& event);
};

}  // namespace minichat::sim
