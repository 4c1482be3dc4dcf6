#include "loadtest/experiments/chain/hop_client.h"

#include <future>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/scratch_process.h"

namespace minichat::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// gRPC ends with its last channel and waits for its threads then, so no channel may end on one.
TEST(HopClientTest, MayEndWhileItsCallerIsToldOfTheLastCall) {
  auto client = std::make_unique<HopClient>("127.0.0.1:1");
  std::promise<void> told;
  std::promise<void> gone;
  auto call = std::make_shared<int>();
  const std::weak_ptr<int> under_way = call;
  client->Ping(milliseconds(50), [&, call = std::move(call)](int /*code*/) {
    told.set_value();
    gone.get_future().wait_for(milliseconds(200));  // the client's end may wait for this function
  });
  told.get_future().wait();

  client.reset();
  gone.set_value();

  EXPECT_TRUE(test::WaitFor([&] { return under_way.expired(); }, seconds(10)));
}

}  // namespace
}  // namespace minichat::lab
