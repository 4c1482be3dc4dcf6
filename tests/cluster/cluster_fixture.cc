#include "tests/cluster/cluster_fixture.h"

#include <iostream>

#include <unistd.h>

#include "loadtest/smoke/reconcile.h"

namespace minichat::test {

void ClusterTest::SetUp() {
  if (ServiceSet::Shared() != nullptr) return;
  ASSERT_FALSE(ServicesAreRequired()) << "redis, postgres or kafka is not installed";
  GTEST_SKIP() << "redis, postgres or kafka is not installed";
}

void ClusterTest::TearDown() {
  if (HasFailure() && cluster_ != nullptr) std::cerr << cluster_->LogTails();
}

TestCluster& ClusterTest::StartCluster(TestClusterOptions options) {
  cluster_.reset();
  cluster_ = std::make_unique<TestCluster>(services(), std::move(options));
  return *cluster_;
}

std::string ClusterTest::NewRoom() {
  static int rooms = 0;
  return "room-" + std::to_string(getpid()) + "-" + std::to_string(++rooms);
}

bool ClusterTest::Until(const std::function<bool()>& condition, milliseconds limit,
                        milliseconds interval) {
  return loop_.RunUntil(condition, limit, interval);
}

std::unique_ptr<ChatSession> ClusterTest::Open(std::size_t node, const std::string& user,
                                               ChatSession::Resume resume) {
  auto session =
      std::make_unique<ChatSession>(loop_, cluster().node(node).client(), user, std::move(resume));
  EXPECT_TRUE(Until([&] { return session->welcome(); })) << user << " got no welcome";
  return session;
}

std::unique_ptr<ChatSession> ClusterTest::OpenIn(std::size_t node, const std::string& user,
                                                 const std::string& room) {
  auto session = Open(node, user);
  const Reply joined = Await(*session, session->Join(room));
  EXPECT_EQ(joined.op, "joined") << user << ": " << joined.code;
  return session;
}

Reply ClusterTest::Await(ChatSession& session, ChatSession::Rid rid, milliseconds limit) {
  EXPECT_TRUE(Until([&] { return session.Find(rid) != nullptr; }, limit)) << "no reply to " << rid;
  const Reply* reply = session.Find(rid);
  return reply != nullptr ? *reply : Reply{};
}

Reply ClusterTest::SendAndWait(ChatSession& session, const std::string& room,
                               const std::string& cid, const std::string& text, bool resend) {
  return Await(session, session.Send(room, cid, text, resend));
}

std::vector<Delivery> ClusterTest::History(ChatSession& session, const std::string& room) {
  std::vector<Delivery> all;
  Seq after = 0;
  for (;;) {
    const Reply page = Await(session, session.HistoryAfter(room, after, 200));
    const auto* messages = page.body.if_contains("messages");
    EXPECT_TRUE(messages != nullptr && messages->is_array()) << page.code;
    if (messages == nullptr || !messages->is_array()) return all;
    for (const auto& value : messages->get_array()) {
      const Reply message{{}, {}, value.get_object(), {}};
      all.push_back(
          {message.Number("seq"), message.Text("id"), message.Text("from"), message.Text("text")});
    }
    if (page.Number("next") == 0) return all;
    after = page.Number("next");
  }
}

std::vector<StoredRow> ClusterTest::Rows(const std::string& room) {
  auto rows = loadtest::PostgresInspector(services().database_url()).Rows(room);
  EXPECT_TRUE(rows.ok()) << rows.status().ToString();
  return rows.ok() ? std::move(rows).value() : std::vector<StoredRow>{};
}

std::vector<StoredRow> ClusterTest::RowsOnce(const std::string& room, std::size_t count,
                                             milliseconds limit) {
  std::vector<StoredRow> rows;
  const auto stored = [&] {
    rows = Rows(room);
    return rows.size() >= count;
  };
  EXPECT_TRUE(Until(stored, limit, milliseconds(100)))
      << rows.size() << " of " << count << " messages of " << room << " are stored";
  return rows;
}

double ClusterTest::HoleAndSweepPulls() {
  return cluster().Sum("minichat_pulls_total", {{"cause", "hole"}}) +
         cluster().Sum("minichat_pulls_total", {{"cause", "sweep"}});
}

void ClusterTest::ExpectComplete(const LoadPlan& plan, LoadRun& run) {
  EXPECT_EQ(run.acked(), plan.shape().messages);
  for (const auto& [code, count] : run.errors()) ADD_FAILURE() << count << " sends: " << code;
  const loadtest::Received received = loadtest::CountReceived(plan, run);
  EXPECT_EQ(received.got, received.expected);
  EXPECT_EQ(received.lost, 0u);
  EXPECT_EQ(received.twice, 0u);
  EXPECT_EQ(received.out_of_order, 0u);
  EXPECT_EQ(received.strange, 0u);
  loadtest::RowsByRoom rows;
  for (std::size_t i = 0; i < plan.shape().rooms; ++i) {
    std::size_t expected = 0;
    for (std::size_t m = i; m < run.messages().size(); m += plan.shape().rooms) {
      expected += run.messages()[m].acked ? 1 : 0;
    }
    rows[plan.Room(i)] = RowsOnce(plan.Room(i), expected);
  }
  for (const auto& difference : CompareRows(plan, run, rows)) ADD_FAILURE() << difference;
  for (const auto& difference : CompareViews(plan, run, rows)) ADD_FAILURE() << difference;
}

std::vector<std::string> IdsOf(const std::vector<StoredRow>& rows) {
  std::vector<std::string> ids;
  ids.reserve(rows.size());
  for (const StoredRow& row : rows) ids.push_back(row.id);
  return ids;
}

std::vector<std::string> IdsOf(const std::vector<Delivery>& deliveries) {
  std::vector<std::string> ids;
  ids.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) ids.push_back(delivery.id);
  return ids;
}

std::vector<Seq> SeqsOf(const std::vector<Delivery>& deliveries) {
  std::vector<Seq> seqs;
  seqs.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) seqs.push_back(delivery.seq);
  return seqs;
}

}  // namespace minichat::test
