#include "storage/contract/asio_runner.h"
#include "storage/contract/history_store_contract.h"
#include "storage/contract/message_log_contract.h"
#include "storage/contract/room_store_contract.h"
#include "storage/memory/memory_log.h"
#include "storage/memory/memory_room_store.h"
#include "storage/memory/memory_store.h"

namespace minichat::contract {
namespace {

class MemoryLogHarness final : public MessageLogHarness {
 public:
  Scheduler& scheduler() override { return runner_.scheduler(); }
  bool RunUntil(const std::function<bool()>& condition) override {
    return runner_.RunUntil(condition);
  }
  core::MessageLog& log() override { return log_; }
  std::unique_ptr<core::LogSource> NewSource() override { return std::make_unique<Source>(log_); }

 private:
  // The log is its own only source.
  struct Source final : core::LogSource {
    explicit Source(memory::MemoryLog& source) : log(source) {}
    void Start(core::LogConsumer& consumer) override { log.Start(consumer); }
    void Stop() override { log.Stop(); }
    memory::MemoryLog& log;
  };

  AsioRunner runner_;
  memory::MemoryLog log_{runner_.scheduler()};
};

class MemoryStoresHarness final : public StoresHarness {
 public:
  Scheduler& scheduler() override { return runner_.scheduler(); }
  bool RunUntil(const std::function<bool()>& condition) override {
    return runner_.RunUntil(condition);
  }
  core::HistoryStore& store() override { return store_; }
  core::RoomStore& room_store() override { return room_store_; }

 private:
  AsioRunner runner_;
  memory::MemoryStore store_{runner_.scheduler()};
  memory::MemoryRoomStore room_store_{runner_.scheduler()};
};

INSTANTIATE_TEST_SUITE_P(Memory, MessageLogContract,
                         testing::Values([] { return std::make_unique<MemoryLogHarness>(); }));
INSTANTIATE_TEST_SUITE_P(Memory, HistoryStoreContract,
                         testing::Values([] { return std::make_unique<MemoryStoresHarness>(); }));
INSTANTIATE_TEST_SUITE_P(Memory, RoomStoreContract,
                         testing::Values([] { return std::make_unique<MemoryStoresHarness>(); }));

}  // namespace
}  // namespace minichat::contract
