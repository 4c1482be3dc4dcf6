#include "loadtest/experiments/transports/relay_account.h"

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

void HandToAll(RelayAccount& account, std::uint64_t seq) {
  for (std::size_t i = 0; i < kRecipients; ++i) account.Handed(seq, i);
}

TEST(RelayAccountTest, AllOnceIsExact) {
  RelayAccount account;
  HandToAll(account, 2);
  HandToAll(account, 1);

  const auto figures = account.Read();

  EXPECT_EQ(figures.messages, 2u);
  EXPECT_EQ(figures.handed, 2 * kRecipients);
  EXPECT_EQ(figures.missing, 0u);
  EXPECT_EQ(figures.repeated, 0u);
}

TEST(RelayAccountTest, SeesWhatIsMissingRepeatedOrUnknown) {
  RelayAccount account;
  HandToAll(account, 3);  // 1 and 2 never came
  account.Handed(3, 7);
  account.Handed(3, kRecipients);
  account.Handed(0, 1);

  const auto figures = account.Read();

  EXPECT_EQ(figures.messages, 3u);
  EXPECT_EQ(figures.missing, 2 * kRecipients);
  EXPECT_EQ(figures.repeated, 1u);
  EXPECT_EQ(figures.unknown, 2u);
}

}  // namespace
}  // namespace minichat::transports
