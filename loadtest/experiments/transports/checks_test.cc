#include "loadtest/experiments/transports/checks.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "loadtest/experiments/transports/experiment.h"
#include "loadtest/experiments/transports/transports_report.h"

namespace minichat::transports {
namespace {

// A run in which all is right; `rate` is what ratios are taken from.
Figures GoodStep(const Step& step, double rate) {
  Figures run;
  run.Set("takes", 100);
  run.Set("measured", 90);
  run.Set("failed", 0);
  run.Set("wrong_items", 0);
  run.Set("initial", 1'000);
  run.Set("left", 900);
  run.Set("taken", 100);
  run.Set("calls", 100.0 * static_cast<double>(CallsPerTake(step)));
  run.Set("caller_cpu", 0.5);
  run.Set("stock_cpu", 0.5);
  run.Set("machine_busy", 0.6);
  run.Set("connections", step.transport == Transport::kHttpPerCall ? 300 : 1);
  run.Set("per_second", rate);
  return run;
}

Figures GoodRelay(const RelayWay& way, double rate) {
  Figures run;
  const bool each = !way.mode || *way.mode == relay::RelayMode::kSingle;
  run.Set("messages", 10);
  run.Set("measured", 9);
  run.Set("incomplete", 0);
  run.Set("missing", 0);
  run.Set("repeated", 0);
  run.Set("unknown", 0);
  run.Set("highest_seq", 10);
  run.Set("handed", 1'000);
  run.Set("calls", each ? 1'000 : 10);
  run.Set("stream_writes", 8);
  run.Set("caller_cpu", 0.5);
  run.Set("stock_cpu", 0.5);
  run.Set("machine_busy", 0.6);
  run.Set("per_second", rate);
  return run;
}

// Each condition is ten times the one before.
Measurements GoodMeasurements() {
  Measurements all;
  all.cores = 2;
  for (const auto store_time : {kNoStore, kSomeStore}) {
    double rate = 1;
    for (const Step& step : AllSteps()) {
      all.steps.push_back({&step, store_time, {{GoodStep(step, rate *= 10)}}});
    }
  }
  for (const std::size_t in_flight : {kOneInFlight, kManyInFlight}) {
    double rate = 1;
    for (const RelayWay& way : AllRelayWays()) {
      all.relays.push_back({&way, in_flight, {{GoodRelay(way, rate *= 10)}}});
    }
  }
  return all;
}

std::vector<std::string> Failed(const Measurements& all) {
  std::vector<std::string> names;
  for (const auto& checks : {CheckSteps(all), CheckRelays(all)}) {
    for (const report::Check& check : checks) {
      if (!check.ok && !check.finding_only) names.push_back(check.name);
    }
  }
  return names;
}

// What fails when one figure of a step's run is another one.
std::vector<std::string> FailedWith(const char* step, const char* figure, double value) {
  Measurements all = GoodMeasurements();
  for (StepSamples& s : all.steps) {
    if (s.step->name == step) s.samples.rounds[0].Set(figure, value);
  }
  return Failed(all);
}

std::vector<std::string> FailedWithRelay(const char* way, const char* figure, double value) {
  Measurements all = GoodMeasurements();
  for (RelaySamples& r : all.relays) {
    if (r.way->name == way) r.samples.rounds[0].Set(figure, value);
  }
  return Failed(all);
}

using Names = std::vector<std::string>;

TEST(TransportsChecksTest, HoldWhenAllIsRight) {
  EXPECT_EQ(Failed(GoodMeasurements()), Names{});
}

TEST(TransportsChecksTest, SeeATakeThatFailedOrWasNotTaken) {
  EXPECT_EQ(FailedWith("grpc", "failed", 1), Names{"Every take was answered"});
  EXPECT_EQ(FailedWith("grpc", "measured", 0), Names{"Every take was answered"});
  EXPECT_EQ(FailedWith("grpc", "left", 901), Names{"The stock is what the takes left of it"});
  EXPECT_EQ(FailedWith("grpc", "taken", 99), Names{"The stock is what the takes left of it"});
  EXPECT_EQ(FailedWith("grpc", "wrong_items", 1),
            Names{"Every take was answered with the right number left"});
}

TEST(TransportsChecksTest, SeeCallsAndConnectionsTooManyOrTooFew) {
  EXPECT_EQ(FailedWith("grpc_async", "calls", 301), Names{"Calls of a take"});
  EXPECT_EQ(FailedWith("grpc_async_take", "calls", 300), Names{"Calls of a take"});
  EXPECT_EQ(FailedWith("http_per_call", "connections", 299), Names{"A connection per call"});
  EXPECT_EQ(FailedWith("http_pool", "connections", 21), Names{"The keep-alive pool"});
}

TEST(TransportsChecksTest, SeeRatiosThatCanNotBe) {
  const Names failed = FailedWith("grpc_async", "per_second", 1);

  EXPECT_EQ(failed.size(), 2u);
  EXPECT_EQ(FailedWithRelay("bulk", "per_second", 10).size(), 2u);
}

TEST(TransportsChecksTest, SeeWhatTheRelayLostOrRepeated) {
  const Names once{"Every recipient was handed every message once"};

  EXPECT_EQ(FailedWithRelay("stream", "missing", 1), once);
  EXPECT_EQ(FailedWithRelay("stream", "repeated", 1), once);
  EXPECT_EQ(FailedWithRelay("single", "handed", 1'001), once);
  EXPECT_EQ(FailedWithRelay("http", "highest_seq", 9), once);
  EXPECT_EQ(FailedWithRelay("bulk", "calls", 11), Names{"Calls of a message"});
  EXPECT_EQ(FailedWithRelay("http", "calls", 10), Names{"Calls of a message"});
  EXPECT_EQ(FailedWithRelay("stream", "stream_writes", 11), Names{"Writes to the stream"});
}

TEST(TransportsChecksTest, TellThatOtherProgramsUsedTheMachine) {
  Measurements all = GoodMeasurements();
  EXPECT_TRUE(CheckMachine(all).ok);

  for (StepSamples& s : all.steps) s.samples.rounds[0].Set("machine_busy", 1);

  EXPECT_FALSE(CheckMachine(all).ok);
  EXPECT_TRUE(CheckMachine(all).finding_only);
  EXPECT_NE(CheckMachine(all).seen.find("50 %"), std::string::npos);
}

TEST(TransportsChecksTest, AFigureThatWasNotToldFailsItsCheck) {
  Measurements all = GoodMeasurements();
  all.relays[0].samples.rounds[0] = Figures();

  const Names failed = Failed(all);

  EXPECT_GE(failed.size(), 2u);
}

TEST(TransportsReportTest, HasASectionForEachPartAndRowsForEachCondition) {
  const Measurements all = GoodMeasurements();

  const report::ReportDocument document = MakeReport(all, QuickPlan());

  ASSERT_EQ(document.sections.size(), 3u);
  for (const report::Table& table : document.sections[0].tables) {
    EXPECT_EQ(table.rows.size(), AllSteps().size());
  }
  EXPECT_EQ(document.sections[2].tables.at(0).rows.size(), 2 * AllRelayWays().size());
  for (const report::Section& section : document.sections) {
    for (const report::Table& table : section.tables) {
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
    }
  }
  EXPECT_TRUE(document.ok());
}

TEST(TransportsReportTest, APartThatWasNotMeasuredIsNotToldOf) {
  Measurements all = GoodMeasurements();
  all.steps.clear();

  const report::ReportDocument document = MakeReport(all, QuickPlan());

  EXPECT_EQ(document.sections.size(), 1u);
  EXPECT_EQ(document.checks.size(), CheckRelays(all).size() + 1);
  EXPECT_TRUE(document.ok());
}

}  // namespace
}  // namespace minichat::transports
