#include <deque>

#include "storage/contract/room_directory_contract.h"
#include "storage/memory/memory_directory.h"

namespace minichat::contract {
namespace {

// Turns and a wall clock that the test moves; no timers, which MemoryDirectory does not use.
class TurnScheduler final : public Scheduler {
 public:
  TimePoint Now() const override { return TimePoint(passed); }
  TimePoint BootNow() const override { return Now(); }
  std::int64_t WallMillis() const override {
    return 1'700'000'000'000 + passed / std::chrono::milliseconds(1);
  }
  void Post(Work work) override { turns.push_back(std::move(work)); }
  TimerId RunAfter(Duration, Work) override { return 1; }
  void Cancel(TimerId) override {}
  std::uint64_t Random() override { return ++last_random; }

  Duration passed{};
  std::deque<Work> turns;
  std::uint64_t last_random = 0;
};

class MemoryHarness final : public DirectoryHarness {
 public:
  explicit MemoryHarness(const core::DirectoryLimits& limits) : directory_(scheduler_, limits) {}

  core::RoomDirectory& directory() override { return directory_; }
  Scheduler& scheduler() override { return scheduler_; }
  void Advance(Duration duration) override { scheduler_.passed += duration; }
  bool RunUntil(const std::function<bool()>& done) override {
    while (!done() && !scheduler_.turns.empty()) {
      const Scheduler::Work work = std::move(scheduler_.turns.front());
      scheduler_.turns.pop_front();
      work();
    }
    return done();
  }

 private:
  TurnScheduler scheduler_;
  memory::MemoryDirectory directory_;
};

std::unique_ptr<DirectoryHarness> MakeMemory(const core::DirectoryLimits& limits) {
  return std::make_unique<MemoryHarness>(limits);
}

INSTANTIATE_TEST_SUITE_P(Memory, RoomDirectoryContract, testing::Values(MakeMemory));

}  // namespace
}  // namespace minichat::contract
