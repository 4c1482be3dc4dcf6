#pragma once

#include <algorithm>
#include <functional>

#include "server/core/node_context.h"

namespace minichat::core {

// Notices that this process did not run for a while (SIGSTOP, a frozen or migrated machine): looked
// at by a tick and before each send, by the boot-time clock. After a hang longer than a client's
// operation the node can't know what its clients resent elsewhere and was forgotten since.
//
// Threading: confined to the core scheduler's thread.
class HangDetector {
 public:
  explicit HangDetector(NodeContext& node) : node_(node), last_(node.scheduler().BootNow()) {}

  void Start(std::function<void()> on_paused) {
    on_paused_ = std::move(on_paused);
    node_.tasks.Spawn(Tick());
  }

  void Check() {
    const TimePoint now = node_.scheduler().BootNow();
    const Duration gap = now - last_;
    last_ = now;
    if (gap < kPause) return;
    log::Warn("paused", {{"seconds", std::chrono::duration<double>(gap).count()}});
    if (gap > node_.options.operation) hung_until_ = now + node_.options.directory.dedup_ttl;
    if (on_paused_) on_paused_();
  }

  // A hang that was long enough lies less than dedup.ttl back.
  bool HungLately() const { return node_.scheduler().BootNow() < hung_until_; }

 private:
  static constexpr Duration kTick = std::chrono::milliseconds(250);
  static constexpr Duration kPause = std::chrono::milliseconds(1250);  // a tick and a second

  Task<void> Tick() {
    for (;;) {
      co_await Sleep(node_.scheduler(), kTick);
      Check();
    }
  }

  NodeContext& node_;
  std::function<void()> on_paused_;
  TimePoint last_;
  TimePoint hung_until_{};
};

}  // namespace minichat::core
