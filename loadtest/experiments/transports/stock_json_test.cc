#include "loadtest/experiments/transports/stock_json.h"

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

TEST(StockJsonTest, EachOperationHasItsPath) {
  for (const StockOp op : {StockOp::kGet, StockOp::kCheck, StockOp::kUpdate, StockOp::kTake}) {
    EXPECT_EQ(OpOfPath(PathOf(op)), op);
  }
  EXPECT_EQ(OpOfPath("/stock"), std::nullopt);
}

TEST(StockJsonTest, QueriesAndAnswersComeBackAsTheyWere) {
  const auto query = QueryFromJson(StockOp::kCheck, QueryToJson({StockOp::kCheck, 7, 3}));
  const auto answer = AnswerFromJson(AnswerToJson({true, 10'000'000'000}));

  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->op, StockOp::kCheck);
  EXPECT_EQ(query->item, 7u);
  EXPECT_EQ(query->count, 3u);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(*answer, (StockAnswer{true, 10'000'000'000}));
}

TEST(StockJsonTest, RefusesWhatIsNoQueryOrAnswer) {
  for (const char* text : {"", "[]", "{", "{}", "{\"item\":1}", "{\"item\":-1,\"count\":1}",
                           "{\"item\":\"1\",\"count\":1}"}) {
    EXPECT_FALSE(QueryFromJson(StockOp::kGet, text).ok()) << text;
    EXPECT_FALSE(AnswerFromJson(text).ok()) << text;
  }
}

}  // namespace
}  // namespace minichat::transports
