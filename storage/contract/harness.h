#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "server/base/scheduler.h"
#include "server/base/task.h"
#include "server/core/ports/history_store.h"
#include "server/core/ports/message_log.h"
#include "server/core/ports/room_store.h"

namespace minichat::contract {

// Where a contract suite runs an implementation: its scheduler, and how time passes there.
//
// Threading: confined to the test's thread, which is the scheduler's thread while it is in
//            RunUntil().
class SchedulerHarness {
 public:
  virtual ~SchedulerHarness() = default;

  virtual Scheduler& scheduler() = 0;
  // Runs the scheduler until `condition` holds; false: it didn't within a time that is ample.
  virtual bool RunUntil(const std::function<bool()>& condition) = 0;

  // Calls `start` with a callback, on the scheduler's thread, and waits for the value.
  template <class T>
  T Await(const std::function<void(Callback<T>)>& start) {
    auto value = std::make_shared<std::optional<T>>();
    bool inside = true;
    bool too_early = false;
    scheduler().Post([&, value] {
      start([&, value](T v) {
        too_early = inside;
        value->emplace(std::move(v));
      });
      inside = false;
    });
    EXPECT_TRUE(RunUntil([&] { return value->has_value(); })) << "no answer came";
    EXPECT_FALSE(too_early) << "the callback ran inside the call";
    return std::move(value->value());
  }
};

// An empty log, and sources that share its consumer group.
class MessageLogHarness : public SchedulerHarness {
 public:
  virtual core::MessageLog& log() = 0;
  virtual std::unique_ptr<core::LogSource> NewSource() = 0;
};
// Null when what it needs is not installed.
using MakeMessageLogHarness = std::function<std::unique_ptr<MessageLogHarness>()>;

// Empty stores.
class StoresHarness : public SchedulerHarness {
 public:
  virtual core::HistoryStore& store() = 0;
  virtual core::RoomStore& room_store() = 0;
};
// Null when what it needs is not installed.
using MakeStoresHarness = std::function<std::unique_ptr<StoresHarness>()>;

}  // namespace minichat::contract
