// Both ends of the stock, over each transport, in this process.
#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "loadtest/experiments/transports/http_client.h"
#include "loadtest/experiments/transports/http_server.h"
#include "loadtest/experiments/transports/step.h"
#include "loadtest/experiments/transports/stock_client.h"
#include "loadtest/experiments/transports/stock_server.h"

namespace minichat::transports {
namespace {

constexpr std::uint64_t kOfEach = 1'000;

std::unique_ptr<StockServer> MakeServer(const Step& step, StockService& service) {
  return step.transport == Transport::kGrpc ? MakeGrpcStockServer(service, step.stock_workers)
                                            : MakeHttpStockServer(service, step.stock_workers);
}

// All steps' combinations of transport and workers, with and without a store time.
class StockTransportTest : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  StockTransportTest()
      : step(*FindStep(std::get<0>(GetParam()))),
        service(stock, std::chrono::milliseconds(std::get<1>(GetParam()))),
        server(MakeServer(step, service)) {}

  std::unique_ptr<BlockingStock> Blocking() {
    if (step.transport == Transport::kGrpc) return MakeGrpcStock(server->port());
    return MakeHttpStock(server->port(), Connections());
  }
  std::unique_ptr<AsyncStock> Async() {
    if (step.transport == Transport::kGrpc) return MakeAsyncGrpcStock(server->port());
    return MakeAsyncHttpStock(server->port(), std::max<std::size_t>(1, Connections()));
  }
  std::size_t Connections() const { return step.transport == Transport::kHttpPool ? 3 : 0; }

  const Step& step;
  Stock stock{2, kOfEach};
  StockService service;
  std::unique_ptr<StockServer> server;
};

TEST_P(StockTransportTest, AnswersWhatTheStockAnswers) {
  const auto client = Blocking();

  const auto get = client->Call({StockOp::kGet, 0});
  const auto check = client->Call({StockOp::kCheck, 0, kOfEach + 1});
  const auto update = client->Call({StockOp::kUpdate, 0, 3});
  const auto take = client->Call({StockOp::kTake, 1});
  const auto none = client->Call({StockOp::kGet, 2});

  ASSERT_TRUE(get.ok() && check.ok() && update.ok() && take.ok() && none.ok());
  EXPECT_EQ(get.value(), (StockAnswer{true, kOfEach}));
  EXPECT_EQ(check.value(), (StockAnswer{false, kOfEach}));
  EXPECT_EQ(update.value(), (StockAnswer{true, kOfEach - 3}));
  EXPECT_EQ(take.value(), (StockAnswer{true, kOfEach - 1}));
  EXPECT_EQ(none.value(), (StockAnswer{false, 0}));
}

TEST_P(StockTransportTest, ManyThreadsTakeEachItemOnce) {
  constexpr int kThreads = 6, kTakes = 20;
  const auto client = Blocking();
  std::atomic<int> failed = 0;
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kTakes; ++k) failed += client->Call({StockOp::kTake, 0}).ok() ? 0 : 1;
    });
  }
  threads.clear();

  EXPECT_EQ(failed, 0);
  EXPECT_EQ(stock.Totals().taken, std::uint64_t{kThreads} * kTakes);
  if (step.transport == Transport::kHttpPool) {
    EXPECT_LE(server->connections(), 3u);
  }
  if (step.transport == Transport::kHttpPerCall) {
    EXPECT_EQ(server->connections(), std::uint64_t{kThreads} * kTakes);
  }
}

TEST_P(StockTransportTest, ManyCallsAreUnderWayAtOnce) {
  constexpr std::size_t kCalls = 50;
  const auto client = Async();
  std::vector<std::future<bool>> answers;
  for (std::size_t i = 0; i < kCalls; ++i) {
    auto answered = std::make_shared<std::promise<bool>>();
    answers.push_back(answered->get_future());
    client->Start({StockOp::kTake, 1}, [answered](const Result<StockAnswer>& answer) {
      answered->set_value(answer.ok());
    });
  }

  for (auto& answer : answers) EXPECT_TRUE(answer.get());
  EXPECT_EQ(stock.Totals().taken, kCalls);
}

TEST_P(StockTransportTest, AServiceThatIsGoneIsAnError) {
  const auto client = Blocking();
  const auto async = Async();
  server.reset();
  std::promise<bool> ok;

  EXPECT_FALSE(client->Call({StockOp::kGet, 0}).ok());
  async->Start({StockOp::kGet, 0},
               [&ok](const Result<StockAnswer>& answer) { ok.set_value(answer.ok()); });
  EXPECT_FALSE(ok.get_future().get());
}

INSTANTIATE_TEST_SUITE_P(All, StockTransportTest,
                         testing::Combine(testing::Values("http_per_call", "http_pool", "grpc",
                                                          "grpc_2", "grpc_async", "http_async"),
                                          testing::Values(0, 1)),
                         [](const auto& which) {
                           return std::get<0>(which.param) + "_store_" +
                                  std::to_string(std::get<1>(which.param)) + "ms";
                         });

TEST(HttpServerTest, AnAnswerThatIsNoneIsABadRequestAndTheConnectionGoesOn) {
  HttpServer server(1, [](const HttpPost& post, const HttpRespond& respond) {
    respond(post.path == "/good" ? "{\"got\":" + post.body + "}" : std::string());
  });
  BlockingHttpPool pool(server.port(), 1);

  const auto bad = pool.Post("/bad", "1");
  const auto good = pool.Post("/good", "2");

  EXPECT_EQ(bad.status().code(), StatusCode::kInternal);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good.value(), "{\"got\":2}");
  EXPECT_EQ(server.connections(), 1u);
}

TEST(HttpPoolTest, PostsBeyondTheConnectionsAreAnsweredInTheirOrder) {
  HttpServer server(1,
                    [](const HttpPost& post, const HttpRespond& respond) { respond(post.body); });
  AsyncHttpPool pool(server.port(), 1);
  std::vector<std::string> answers;
  std::promise<void> all;
  for (int i = 0; i < 20; ++i) {
    pool.Post("/", std::to_string(i), [&](const Result<std::string>& answer) {
      answers.push_back(answer.ok() ? answer.value() : answer.status().ToString());
      if (answers.size() == 20) all.set_value();
    });
  }

  all.get_future().wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(answers[static_cast<std::size_t>(i)], std::to_string(i));
  EXPECT_EQ(server.connections(), 1u);
}

}  // namespace
}  // namespace minichat::transports
