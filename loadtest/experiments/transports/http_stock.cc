// The stock over HTTP/1.1 and JSON: both ends.
#include <utility>

#include "loadtest/experiments/transports/http_client.h"
#include "loadtest/experiments/transports/http_server.h"
#include "loadtest/experiments/transports/stock_client.h"
#include "loadtest/experiments/transports/stock_json.h"
#include "loadtest/experiments/transports/stock_server.h"

namespace minichat::transports {
namespace {

Result<StockAnswer> AnswerOf(const Result<std::string>& answered) {
  if (!answered.ok()) return answered.status();
  return AnswerFromJson(answered.value());
}

class HttpStock final : public BlockingStock {
 public:
  HttpStock(std::uint16_t port, std::size_t connections) : pool_(port, connections) {}

  Result<StockAnswer> Call(const StockQuery& query) override {
    return AnswerOf(pool_.Post(std::string(PathOf(query.op)), QueryToJson(query)));
  }

 private:
  BlockingHttpPool pool_;
};

class AsyncHttpStock final : public AsyncStock {
 public:
  AsyncHttpStock(std::uint16_t port, std::size_t connections) : pool_(port, connections) {}

  void Start(const StockQuery& query, Callback<Result<StockAnswer>> done) override {
    pool_.Post(std::string(PathOf(query.op)), QueryToJson(query),
               [done = std::move(done)](const Result<std::string>& answered) {
                 done(AnswerOf(answered));
               });
  }

 private:
  AsyncHttpPool pool_;
};

class HttpStockServer final : public StockServer {
 public:
  HttpStockServer(StockService& service, std::size_t workers)
      : service_(service),
        blocks_(workers > 0),
        server_(blocks_ ? workers : 1, [this](const HttpPost& post, HttpRespond respond) {
          Handle(post, std::move(respond));
        }) {}

  std::uint16_t port() const override { return server_.port(); }
  std::uint64_t connections() const override { return server_.connections(); }

 private:
  void Handle(const HttpPost& post, HttpRespond respond) {
    const auto op = OpOfPath(post.path);
    if (!op) return respond({});
    const auto query = QueryFromJson(*op, post.body);
    if (!query.ok()) return respond({});
    if (blocks_) return respond(AnswerToJson(service_.Handle(query.value())));
    service_.Start(query.value(), [respond = std::move(respond)](const StockAnswer& answer) {
      respond(AnswerToJson(answer));
    });
  }

  StockService& service_;
  const bool blocks_;
  HttpServer server_;
};

}  // namespace

std::unique_ptr<BlockingStock> MakeHttpStock(std::uint16_t port, std::size_t connections) {
  return std::make_unique<HttpStock>(port, connections);
}

std::unique_ptr<AsyncStock> MakeAsyncHttpStock(std::uint16_t port, std::size_t connections) {
  return std::make_unique<AsyncHttpStock>(port, connections);
}

std::unique_ptr<StockServer> MakeHttpStockServer(StockService& service, std::size_t workers) {
  return std::make_unique<HttpStockServer>(service, workers);
}

}  // namespace minichat::transports
