#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "loadtest/client/chat_session.h"
#include "loadtest/client/roaming_user.h"
#include "loadtest/inspect/kafka_inspector.h"
#include "loadtest/inspect/postgres_inspector.h"
#include "loadtest/smoke/load_plan.h"
#include "loadtest/smoke/load_run.h"
#include "tests/support/test_cluster.h"

namespace minichat::test {

using loadtest::ChatSession;
using loadtest::Clock;
using loadtest::Delivery;
using loadtest::LoadPlan;
using loadtest::LoadRun;
using loadtest::Reply;
using loadtest::RoamingUser;
using loadtest::RoomView;
using loadtest::Seq;
using loadtest::StoredRow;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A test with real nodes: starts them on the program's shared services, talks to them, and prints
// the nodes' logs when it fails.
class ClusterTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Only after SetUp() did not skip.
  ServiceSet& services() { return *ServiceSet::Shared(); }
  TestCluster& StartCluster(TestClusterOptions options = {});
  TestCluster& cluster() { return *cluster_; }
  loadtest::ClientLoop& loop() { return loop_; }

  // No other test of any run has this room.
  std::string NewRoom();
  // Runs the connections until `condition` holds.
  bool Until(const std::function<bool()>& condition, milliseconds limit = seconds(10),
             milliseconds interval = milliseconds(5));

  // A welcomed session on node i; with a room: joined. Fails the test when that takes too long.
  std::unique_ptr<ChatSession> Open(std::size_t node, const std::string& user,
                                    ChatSession::Resume resume = {});
  std::unique_ptr<ChatSession> OpenIn(std::size_t node, const std::string& user,
                                      const std::string& room);
  Reply Await(ChatSession& session, ChatSession::Rid rid, milliseconds limit = seconds(10));
  Reply SendAndWait(ChatSession& session, const std::string& room, const std::string& cid,
                    const std::string& text, bool resend = false);
  // All of it, page by page.
  std::vector<Delivery> History(ChatSession& session, const std::string& room);

  std::vector<StoredRow> Rows(const std::string& room);
  // Waits for the persister; the rows then.
  std::vector<StoredRow> RowsOnce(const std::string& room, std::size_t count,
                                  milliseconds limit = seconds(20));
  double HoleAndSweepPulls();

  // What a run over all nodes of the cluster came to; each expectation names what differs.
  void ExpectComplete(const LoadPlan& plan, LoadRun& run);

 private:
  loadtest::ClientLoop loop_;
  std::unique_ptr<TestCluster> cluster_;
};

std::vector<std::string> IdsOf(const std::vector<StoredRow>& rows);
std::vector<std::string> IdsOf(const std::vector<Delivery>& deliveries);
std::vector<Seq> SeqsOf(const std::vector<Delivery>& deliveries);

}  // namespace minichat::test
