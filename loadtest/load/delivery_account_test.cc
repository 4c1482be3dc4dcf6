#include "loadtest/load/delivery_account.h"

#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

constexpr std::string_view kId = "0190a0a0-0000-8000-8000-000000000001";
constexpr std::string_view kOtherId = "0190a0a0-0000-8000-8000-000000000002";

TEST(DeliveryAccountTest, IsExactWhenEveryMessageIsWithEverySessionOnceAndInOrder) {
  DeliveryAccount account(2);
  const auto number = account.Send(Clock::now());
  account.Receive(0, number, 7, kId);
  account.Ack(number, kId, false);
  EXPECT_FALSE(account.AllComplete());
  account.Receive(1, number, 7, kId);

  EXPECT_TRUE(account.AllComplete());
  EXPECT_TRUE(account.Counts().exact());
  EXPECT_EQ(account.Counts().received, 2U);
}

TEST(DeliveryAccountTest, FindsAMessageThatIsLostAtOneSession) {
  DeliveryAccount account(2);
  const auto number = account.Send(Clock::now());
  account.Ack(number, kId, false);
  account.Receive(0, number, 7, kId);

  EXPECT_FALSE(account.Complete(number));
  EXPECT_EQ(account.Counts().Findings(), "1 lost");
}

TEST(DeliveryAccountTest, FindsARepeatedOneAndOneOutOfOrder) {
  DeliveryAccount account(1);
  const auto first = account.Send(Clock::now());
  const auto second = account.Send(Clock::now());
  account.Ack(first, kId, false);
  account.Ack(second, kOtherId, false);

  EXPECT_TRUE(account.Receive(0, second, 2, kOtherId));
  EXPECT_FALSE(account.Receive(0, second, 2, kOtherId));
  EXPECT_TRUE(account.Receive(0, first, 1, kId));

  EXPECT_EQ(account.Counts().Findings(), "1 repeated, 1 misordered");
}

TEST(DeliveryAccountTest, WhereOrderIsNotPromisedItsBreachIsCountedButNoFinding) {
  DeliveryAccount account(1);
  const auto first = account.Send(Clock::now());
  const auto second = account.Send(Clock::now());
  account.Ack(first, kId, false);
  account.Ack(second, kOtherId, false);
  account.Receive(0, second, 2, kOtherId);
  account.Receive(0, first, 1, kId);

  EXPECT_EQ(account.Counts().misordered, 1U);
  EXPECT_EQ(account.Counts().Findings(Order::kMayBreak), "");
}

TEST(DeliveryAccountTest, NamesWhatWasAckedAndAddsRoomsUp) {
  DeliveryAccount room(2);
  const auto acked = room.Send(Clock::now());
  room.Refuse(room.Send(Clock::now()), "overloaded");
  room.Ack(acked, kId, false);
  DeliveryCounts sum = room.Counts();
  sum += room.Counts();

  EXPECT_EQ(room.AckedIds(), std::vector<std::string>{std::string(kId)});
  EXPECT_EQ(sum.sent, 4U);
  EXPECT_EQ(sum.expected, 4U);
  EXPECT_EQ(sum.Findings(), "2 overloaded, 4 lost");
}

TEST(DeliveryAccountTest, FindsAMessageThatHasTwoIds) {
  DeliveryAccount account(2);
  const auto number = account.Send(Clock::now());
  account.Ack(number, kId, false);
  account.Receive(0, number, 1, kId);
  account.Receive(1, number, 1, kOtherId);

  EXPECT_EQ(account.Counts().Findings(), "1 with a wrong id");
}

TEST(DeliveryAccountTest, ARefusedMessageIsCompleteAndAFinding) {
  DeliveryAccount account(3);
  const auto number = account.Send(Clock::now());
  account.Refuse(number, "overloaded");

  EXPECT_TRUE(account.Complete(number));
  EXPECT_TRUE(account.AllComplete());
  EXPECT_EQ(account.Counts().Findings(), "1 overloaded");
}

TEST(DeliveryAccountTest, FindsAnAckThatNeverCameOrSaysDuplicate) {
  DeliveryAccount account(1);
  account.Send(Clock::now());
  const auto second = account.Send(Clock::now());
  account.Ack(second, kId, true);
  account.Receive(0, second, 1, kId);

  EXPECT_EQ(account.Counts().Findings(), "1 without an answer, 1 acked as duplicates");
}

TEST(DeliveryAccountTest, FindsASecondAnswer) {
  DeliveryAccount account(1);
  const auto number = account.Send(Clock::now());
  account.Receive(0, number, 1, kId);
  account.Ack(number, kId, false);
  account.Ack(number, kId, false);
  account.Refuse(number, "unknown");

  EXPECT_TRUE(account.AllComplete());
  EXPECT_EQ(account.Counts().acked, 1U);
  EXPECT_EQ(account.Counts().Findings(), "2 answered twice");
}

TEST(DeliveryAccountTest, CountsWhatIsNotOfThisRun) {
  DeliveryAccount account(1);
  account.Receive(0, 5, 1, kId);
  account.Ack(5, kId, false);

  EXPECT_EQ(account.Counts().Findings(), "2 foreign");
}

}  // namespace
}  // namespace minichat::loadtest
