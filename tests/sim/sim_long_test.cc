// Rules of a message's life, switched off one at a time: the simulation finds a broken promise.
#include <algorithm>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/sim/sim_runner.h"

namespace minichat::sim {
namespace {

constexpr std::uint64_t kSeeds = 1000;
constexpr std::uint64_t kCleanSeeds = 200;

// ---- What mixed faults show, most of it within ten seeds (two rules: each covers for the other)

class RuleTest : public testing::TestWithParam<const char*> {};

TEST_P(RuleTest, IsMissedInMixedWeather) {
  SimOptions options;
  ASSERT_TRUE(SwitchOff(GetParam(), &options.rules));

  const SimSummary summary = RunSeeds(options, {1, kSeeds, true, true});

  EXPECT_GT(summary.bad_runs, 0u) << "nothing breaks without " << GetParam();
  std::cout << summary.ToText();
}

INSTANTIATE_TEST_SUITE_P(All, RuleTest,
                         testing::Values("raised", "roomgen", "dgen", "missgen,ownplace", "ringgen",
                                         "floor", "fence", "warmcur", "warmgen", "monotone",
                                         "replace", "pgknown", "suppress", "fresh", "allgens",
                                         "uhash", "both", "oldop", "resend", "hungsend", "newlook",
                                         "redisfirst", "joinonce", "lowtrim", "sweepcur", "rereg",
                                         "nameready", "ackrep"),
                         [](const auto& rule) {
                           std::string name = rule.param;
                           std::replace(name.begin(), name.end(), ',', '_');
                           return name;
                         });

// ---- What needs weather of its own

struct Scenario {
  const char* name;
  const char* rules;  // two: each covers for the other
  SimOptions options;
};

void PrintTo(const Scenario& scenario, std::ostream* out) {
  *out << scenario.rules;
}

class ScenarioTest : public testing::TestWithParam<Scenario> {};

TEST_P(ScenarioTest, RuleIsMissed) {
  SimOptions options = GetParam().options;
  ASSERT_TRUE(SwitchOff(GetParam().rules, &options.rules));

  const SimSummary summary = RunSeeds(options, {1, kSeeds, false, true});

  EXPECT_GT(summary.bad_runs, 0u) << "nothing breaks without " << GetParam().rules;
  std::cout << summary.ToText();
}

TEST_P(ScenarioTest, AllRulesTogetherKeepAllPromises) {
  const SimSummary summary = RunSeeds(GetParam().options, {1, kCleanSeeds, false, false});

  EXPECT_EQ(0u, summary.bad_runs) << summary.ToText();
}

const Scenario kScenarios[] = {
    // A warmer that was slow overwrites a room that another one has warmed meanwhile. Both rules
    // say no: the lease has run out, and the room is warm.
    {"SlowWarming",
     "lease,stillcold",
     {.faults = {"pg", "pause"},
      .steps = {"pg_max", "lease"},
      .times = {.room_ttl = 1},
      .rate = 3}},
    // ... that another one has warmed, and that has gone cold again since. Either what the warmer
    // read is too old, or its lease is.
    {"HungWarming",
     "lease,latereply",
     {.faults = {"pg", "pause"},
      .steps = {"pg_max", "lease"},
      .times = {.room_ttl = 1},
      .rate = 3}},
    // A node looks an id up, is then cut off for longer than dedup.ttl, and comes back with the
    // answer that there is no row.
    {"OldLookup",
     "misstime",
     {.faults = {"kafka", "rlink"}, .steps = {"pg_look"}, .times = {.dedup = 6}}},
    // A message stays without a row for longer than dedup.ttl, and is sent again.
    {"LongWithoutRow", "uknown", {.faults = {"lag", "pg", "kafka"}, .times = {.dedup = 4}}},
    // A row is marked late, when its id, beyond dedup.ttl, has a second place already.
    {"LateMark",
     "markseq",
     {.faults = {"lag", "pg"},
      .times = {.dedup = 2, .janitor_age = 1},
      .rate = 3,
      .late_unmarked = true}},
    // A message with the id and text of one that had passed long ago is a new one.
    {"SaidAgain",
     "oldexp",
     {.faults = {"lag", "wipe", "flush", "kafka"}, .times = {.dedup = 3}, .late_unmarked = true}},
    // Redis loses its memory when a message has its row, but a session lacks it; and all are
    // silent from then on.
    {"SilentAfterLoss",
     "sweepwarm",
     {.faults = {"wipe", "flush", "cut"}, .steps = {"mark", "relay"}, .times = {.talk = 22}}},
    // The mark of a written row is lost, and the janitor looks at what is a minute old only.
    {"LostMark", "markfirst", {.faults = {"rlink", "stall"}, .times = {.janitor_age = 60}}},
    // Two nodes number an empty Redis at the same time. The second mark doesn't replace the first;
    // where it does, beats tell the first node.
    {"TwoNodesOpenAGeneration", "first,beatgen", {.faults = {"wipe"}}},
    // A node that stayed behind relays to one that went on, under numbers that are over. It doesn't
    // know that node's new entry; and what came nevertheless would be dropped.
    {"RelayAcrossGenerations", "nodegen,relaygen", {.faults = {"split", "wipe", "flush"}}},
    // After a failover the nodes open another generation in the same Redis; one without sessions
    // asks for nothing there that would tell it so.
    {"IdleNodeAfterFailover", "beatgen", {.faults = {"split", "crash"}, .rate = 2}},
    // A node that answers late, of a Redis that it gave up meanwhile.
    {"AnswerOfAnOldLink", "connreply", {.faults = {"split", "wipe"}, .rate = 2}},
    // A failover after a loss: the node that was left behind opens the later generation in the old
    // memory, and dies before it can bring it over. The others are refused by Postgres from then
    // on.
    {"LaterGenerationIsGone", "doubt", {.faults = {"emptysplit", "crash"}, .rate = 2}},
    // Rows come slowly, when the window that goes with them is lost already. What it had without a
    // row would be told, and told again under its second number.
    {"ReadAcrossALoss",
     "readgen",
     {.faults = {"slowread", "wipe", "lag"}, .times = {.room_ttl = 1}, .rate = 2}},
    // A retry beyond dedup.ttl is logged, and the persister finds the row of the first try, before
    // it gets its second place. That one's row is nobody's but the janitor's.
    {"LateRetryIsLoggedFirst",
     "janu",
     {.faults = {"kafka", "pause", "lag"}, .times = {.dedup = 3}, .late_unmarked = true}},
    // Two places are given while the rows are read, and the second one has its row first. With an
    // empty window rows are read up to the head, and not beyond.
    {"EmptyWindow",
     "toprow",
     {.faults = {"slowread", "kafka"}, .times = {.room_ttl = .3}, .rate = 3}},
    // Rows are written and the window is trimmed between the two halves of a read.
    {"RowsBeforeWindow", "winfirst", {.faults = {"lag", "pg"}, .rate = 3}},
    // In fair weather: members whose routes have expired get nothing from the relay.
    {"RoutesExpire", "routesttl", {}},
};

INSTANTIATE_TEST_SUITE_P(All, ScenarioTest, testing::ValuesIn(kScenarios),
                         [](const auto& scenario) { return std::string(scenario.param.name); });

// ---- What only spares work

// A record without a place may be on its way to one. Whoever doesn't wait places it, and tells it,
// a second time, just when its node is slow.
TEST(LongSimulationTest, PersisterThatDoesNotWaitDoesTheWorkOfOthers) {
  SimOptions options;
  options.faults = {"pause"};
  SimSummary waiting = RunSeeds(options, {1, kCleanSeeds, false, false});
  options.rules.young = false;
  SimSummary hasty = RunSeeds(options, {1, kCleanSeeds, false, false});

  EXPECT_EQ(0u, waiting.bad_runs + hasty.bad_runs);
  EXPECT_GT(hasty.notes["persister_placed"], 2 * waiting.notes["persister_placed"]);
}

// Where the first event of a warmed room says that it follows numbers which nobody has, each
// session finds a hole below it and pulls; and the head is above what there is.
TEST(LongSimulationTest, AHeadAboveTheRowsIsPulledFor) {
  SimOptions options;
  options.faults = {"wipe", "flush"};
  SimSummary known = RunSeeds(options, {1, kCleanSeeds, false, false});
  options.rules.prevpg = false;
  SimSummary guessed = RunSeeds(options, {1, kCleanSeeds, false, false});

  EXPECT_EQ(0u, known.bad_runs + guessed.bad_runs);
  EXPECT_GT(guessed.notes["pull_sweep"], 2 * known.notes["pull_sweep"]);
}

// ----

TEST(LongSimulationTest, TwentyThousandSeedsKeepAllPromises) {
  const SimSummary summary = RunSeedsInThreads({}, {10'001, 30'000, true, false}, 2);

  EXPECT_EQ(0u, summary.bad_runs) << summary.ToText();
}

}  // namespace
}  // namespace minichat::sim
