#include "loadtest/experiments/transports/figures.h"

#include <cmath>

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

TEST(FiguresTest, ComeBackAsTheyWere) {
  Figures figures;
  figures.SetCount("takes", 9'007'199'254'740'991);
  figures.Set("p50_ms", 0.25);
  figures.SetText("failure", "said \"no\"");

  const auto read = Figures::FromJson(figures.ToJson());

  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->Get("takes"), 9'007'199'254'740'991);
  EXPECT_EQ(read->Get("p50_ms"), 0.25);
  EXPECT_EQ(read->GetText("failure"), "said \"no\"");
}

TEST(FiguresTest, WhatWasNotToldEqualsNothing) {
  const Figures figures;

  EXPECT_TRUE(std::isnan(figures.Get("takes")));
  EXPECT_FALSE(figures.Get("takes") == figures.Get("takes"));
}

TEST(FiguresTest, MergeKeepsBothSides) {
  Figures caller;
  caller.Set("takes", 1);
  Figures stock;
  stock.Set("calls", 3);

  caller.Merge(stock);

  EXPECT_EQ(caller.Get("takes"), 1);
  EXPECT_EQ(caller.Get("calls"), 3);
}

TEST(FiguresTest, RefusesWhatIsNoObject) {
  EXPECT_FALSE(Figures::FromJson("").ok());
  EXPECT_FALSE(Figures::FromJson("[1]").ok());
  EXPECT_FALSE(Figures::FromJson("{\"a\":1").ok());
}

}  // namespace
}  // namespace minichat::transports
