#pragma once

#include <memory>
#include <string>
#include <utility>

#include "storage/contract/asio_runner.h"
#include "storage/contract/harness.h"
#include "storage/postgres/postgres_client.h"
#include "storage/postgres/postgres_migrator.h"
#include "storage/postgres/postgres_room_store.h"
#include "storage/postgres/postgres_store.h"
#include "tests/support/scratch_postgres.h"

// For the tests of storage/postgres.
namespace minichat::postgres {

// The stores on a new database of a scratch server.
class PostgresHarness final : public contract::StoresHarness {
 public:
  explicit PostgresHarness(test::ScratchPostgres& server) : PostgresHarness(server.NewDatabase()) {}
  explicit PostgresHarness(const std::string& url) : url_(url) {
    const auto version = PostgresMigrator(url).Migrate();
    EXPECT_TRUE(version.ok()) << version.status().ToString();
    client_ = std::make_unique<PostgresClient>(PostgresOptions{.url = url}, scheduler(), metrics);
    EXPECT_EQ(client_->Start(), Status());
    store_ = std::make_unique<PostgresStore>(*client_, "minichat.messages");
    room_store_ = std::make_unique<PostgresRoomStore>(*client_);
  }
  ~PostgresHarness() override { client_->Stop(); }

  Scheduler& scheduler() override { return runner_.scheduler(); }
  bool RunUntil(const std::function<bool()>& condition) override {
    return runner_.RunUntil(condition);
  }
  core::HistoryStore& store() override { return *store_; }
  core::RoomStore& room_store() override { return *room_store_; }
  const std::string& url() const { return url_; }

  MetricsRegistry metrics;

 private:
  const std::string url_;
  contract::AsioRunner runner_;
  std::unique_ptr<PostgresClient> client_;
  std::unique_ptr<PostgresStore> store_;
  std::unique_ptr<PostgresRoomStore> room_store_;
};

}  // namespace minichat::postgres
