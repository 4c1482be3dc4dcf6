#include "storage/contract/history_store_contract.h"
#include "storage/contract/room_store_contract.h"
#include "storage/postgres/postgres_test_kit.h"

namespace minichat::contract {
namespace {

std::unique_ptr<StoresHarness> MakePostgres() {
  test::ScratchPostgres* server = test::ScratchPostgres::Shared();
  if (server == nullptr) {
    EXPECT_FALSE(test::ServicesAreRequired()) << "postgres is not installed";
    return nullptr;
  }
  return std::make_unique<postgres::PostgresHarness>(*server);
}

INSTANTIATE_TEST_SUITE_P(Postgres, HistoryStoreContract, testing::Values(MakePostgres));
INSTANTIATE_TEST_SUITE_P(Postgres, RoomStoreContract, testing::Values(MakePostgres));

}  // namespace
}  // namespace minichat::contract
