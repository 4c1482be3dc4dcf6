#include "storage/contract/room_directory_contract.h"
#include "tests/support/redis_harness.h"

namespace minichat::contract {
namespace {

// One server for the whole program.
test::ScratchRedis* Server() {
  static const std::unique_ptr<test::ScratchRedis> kServer = test::ScratchRedis::Start();
  return kServer.get();
}

std::unique_ptr<DirectoryHarness> MakeRedis(const core::DirectoryLimits& limits) {
  if (Server() == nullptr) {
    EXPECT_FALSE(test::ServicesAreRequired()) << "redis-server is not installed";
    return nullptr;
  }
  return std::make_unique<test::RedisHarness>(*Server(), limits);
}

INSTANTIATE_TEST_SUITE_P(Redis, RoomDirectoryContract, testing::Values(MakeRedis));

}  // namespace
}  // namespace minichat::contract
