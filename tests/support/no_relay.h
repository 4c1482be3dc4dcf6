#pragma once

#include <vector>

#include "server/core/ports/relay.h"

namespace minichat::test {

// The relay of a node without peers.
class NoRelay final : public core::Relay {
 public:
  void SetPeers(std::vector<core::NodeEntry>) override {}
  void Deliver(const core::NodeName&, const core::Incarnation&, core::EventPtr,
               std::vector<core::SessionId> recipients, Deadline,
               Callback<std::vector<core::RelayResult>> done) override {
    done(std::vector<core::RelayResult>(recipients.size(), core::RelayResult::kFailed));
  }
  void SendTyping(const core::NodeName&, const core::Incarnation&, const core::Typing&) override {}
  void OnClusterMode(const core::RelayModeSetting& setting) override { setting_ = setting; }

  const core::RelayModeSetting& setting() const { return setting_; }

 private:
  core::RelayModeSetting setting_;
};

}  // namespace minichat::test
