#pragma once

#include <utility>
#include <vector>

#include "server/core/ports/relay.h"

namespace minichat::app {

// Stands in for the node until there is one: the relay server must be bound before the node can be
// told its own address. Until then nothing is here.
//
// Lifetime:  outlives the relay server. Threading: confined to the core's thread.
class LateReceiver final : public core::RelayReceiver {
 public:
  void Set(core::RelayReceiver* receiver) { receiver_ = receiver; }

  std::vector<core::RelayResult> OnRelayed(
      const core::Incarnation& target, core::EventPtr event,
      const std::vector<core::SessionId>& recipients) override {
    if (receiver_ != nullptr) return receiver_->OnRelayed(target, std::move(event), recipients);
    return std::vector<core::RelayResult>(recipients.size(), core::RelayResult::kNotHere);
  }

  void OnTyping(const core::Incarnation& target, const core::Typing& typing) override {
    if (receiver_ != nullptr) receiver_->OnTyping(target, typing);
  }

 private:
  core::RelayReceiver* receiver_ = nullptr;
};

}  // namespace minichat::app
