#include "loadtest/live/seq_account.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using Arrival = SeqAccount::Arrival;

TEST(SeqAccountTest, LacksNothingWhenEachNumberComesInTurn) {
  SeqAccount account(41);
  for (std::uint64_t seq = 42; seq < 50; ++seq) EXPECT_EQ(account.Receive(seq), Arrival::kNext);

  EXPECT_EQ(account.missing(), 0U);
  EXPECT_EQ(account.last(), 49U);
}

TEST(SeqAccountTest, WhatIsSkippedIsMissingUntilItComes) {
  SeqAccount account(1);
  EXPECT_EQ(account.Receive(4), Arrival::kNext);
  EXPECT_EQ(account.missing(), 2U);

  EXPECT_EQ(account.Receive(2), Arrival::kMisordered);
  EXPECT_EQ(account.missing(), 1U);
  EXPECT_EQ(account.Receive(2), Arrival::kRepeated);
  EXPECT_EQ(account.missing(), 1U);
}

TEST(SeqAccountTest, WhatCameAlreadyOrIsOfTheTimeBeforeIsARepeat) {
  SeqAccount account(5);
  account.Receive(6);

  EXPECT_EQ(account.Receive(6), Arrival::kRepeated);
  EXPECT_EQ(account.Receive(5), Arrival::kRepeated);
}

TEST(SeqAccountTest, AnotherNumberingIsNoLoss) {
  SeqAccount account(5);
  account.Receive((std::uint64_t{1} << 32) + 1);
  account.Receive((std::uint64_t{1} << 32) + 2);

  EXPECT_EQ(account.missing(), 0U);
}

TEST(SeqAccountTest, RemembersABoundedNumber) {
  SeqAccount account(0);
  for (std::uint64_t seq = 10'000; seq < 100'000; seq += 10'000) account.Receive(seq);

  EXPECT_EQ(account.missing(), 10'000U);
}

}  // namespace
}  // namespace minichat::loadtest
