#include "loadtest/experiments/transports/bottleneck.h"

#include <gtest/gtest.h>

namespace minichat::transports {
namespace {

BottleneckInput OneWorkerEach() {
  return {.caller_workers = 1, .stock_workers = 1, .machine_busy = 0.5, .cores = 2};
}

TEST(BottleneckTest, TheMachineWhenBothSidesUseAllOfIt) {
  BottleneckInput input{.caller_cpu = 0.9, .stock_cpu = 1.0, .machine_busy = 1, .cores = 2};

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kMachine);
  EXPECT_NE(DescribeBottleneck(input).find("caller 90 %, stock 100 %"), std::string::npos);
  EXPECT_NE(DescribeBottleneck(input).find("the stock uses more"), std::string::npos);
}

TEST(BottleneckTest, OthersWhenTheMachineIsFullWithoutTheseTwo) {
  const BottleneckInput input{
      .caller_cpu = 0.3, .stock_cpu = 0.3, .machine_busy = 0.99, .cores = 2};

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kOthers);
}

TEST(BottleneckTest, AWorkerThatIsHeldByTheStoreWaits) {
  BottleneckInput input = OneWorkerEach();
  input.caller_workers = 0;
  input.stock_cpu = 0.1;
  input.stock_held = 0.95;

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kStockWaiting);
  EXPECT_NE(DescribeBottleneck(input).find("95 %"), std::string::npos);
}

TEST(BottleneckTest, WaitingForTheStoreCountsOnABusyMachineToo) {
  BottleneckInput input = OneWorkerEach();
  input.machine_busy = 1;
  input.stock_held = 0.8;
  EXPECT_EQ(FindBottleneck(input), Bottleneck::kCallerWaiting);

  input.stock_held = 0.1;
  EXPECT_EQ(FindBottleneck(input), Bottleneck::kOthers);
}

TEST(BottleneckTest, AWorkerThatComputesAllTheTimeIsCpu) {
  BottleneckInput input = OneWorkerEach();
  input.stock_cpu = 0.9;
  EXPECT_EQ(FindBottleneck(input), Bottleneck::kStockCpu);

  input = OneWorkerEach();
  input.caller_cpu = 0.9;
  EXPECT_EQ(FindBottleneck(input), Bottleneck::kCallerCpu);
}

TEST(BottleneckTest, OneFullCoreIsNotFullForTwoThreads) {
  BottleneckInput input = OneWorkerEach();
  input.stock_cpu = 0.9;
  input.stock_workers = 2;

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kCallerWaiting);
}

TEST(BottleneckTest, BlockingCallersWaitWhereNoCpuIsFull) {
  BottleneckInput input = OneWorkerEach();
  input.caller_cpu = 0.4;
  input.stock_cpu = 0.4;

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kCallerWaiting);
}

TEST(BottleneckTest, WithAsManyWorkersOnBothSidesTheCallersWait) {
  BottleneckInput input = OneWorkerEach();
  input.stock_held = 0.95;

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kCallerWaiting);
  EXPECT_NE(DescribeBottleneck(input).find("held for 95 %"), std::string::npos);
}

TEST(BottleneckTest, NobodyWhenAllIsUnderWay) {
  const BottleneckInput input{.caller_cpu = 0.4, .stock_cpu = 0.4, .machine_busy = 0.5, .cores = 2};

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kNobody);
}

TEST(BottleneckTest, AnAsynchronousSideOfOneThreadIsFullWithOneCore) {
  const BottleneckInput input{.stock_threads = 1,
                              .caller_threads = 1,
                              .caller_cpu = 0.6,
                              .stock_cpu = 0.9,
                              .machine_busy = 0.8,
                              .cores = 2};

  EXPECT_EQ(FindBottleneck(input), Bottleneck::kStockCpu);
}

}  // namespace
}  // namespace minichat::transports
