#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/app/config_loader.h"
#include "server/app/config_rules.h"
#include "server/app/config_text.h"
#include "server/app/lab_profile.h"

namespace minichat::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

using Flags = std::vector<std::pair<std::string, std::string>>;

class LabConfigTest : public testing::Test {
 protected:
  // With lab.enabled.
  AppConfig Load(Flags flags) {
    auto loaded = LoadConfig(table_, In(std::move(flags)));
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
    return loaded.ok() ? loaded->config : AppConfig();
  }
  std::string Refusal(Flags flags) {
    const auto loaded = LoadConfig(table_, In(std::move(flags)));
    EXPECT_FALSE(loaded.ok());
    return loaded.status().message();
  }

  OptionTable table_;
  ConfigSources sources_;

 private:
  ConfigSources In(Flags flags) {
    ConfigSources sources = sources_;
    sources.flags = std::move(flags);
    sources.flags.emplace_back("lab.enabled", "true");
    return sources;
  }
};

TEST_F(LabConfigTest, EachKeyNeedsTheLab) {
  const Flags others = {{"lab.profile", "classic"},
                        {"lab.profile", "modern"},
                        {"lab.dispatch", "pool"},
                        {"lab.deadline", "none"},
                        {"lab.fixed_deadline", "2s"},
                        {"lab.local", "per_recipient"},
                        {"lab.repair", "off"},
                        {"lab.executor.core", "2"},
                        {"lab.executor.max", "300"},
                        {"lab.executor.queue", "9"},
                        {"lab.executor.overflow", "reject"},
                        {"lab.server_workers", "4"},
                        {"lab.fault.relay_delay", "60ms"},
                        {"lab.fault.die", "after_log"},
                        {"lab.coalesce", "false"}};
  for (const auto& flag : others) {
    ConfigSources sources;
    sources.flags = {flag};
    const auto loaded = LoadConfig(table_, sources);

    ASSERT_FALSE(loaded.ok()) << flag.first;
    EXPECT_EQ(loaded.status().message(),
              "--" + flag.first + ": " + flag.first + ": keys under lab. need lab.enabled: true");
  }
}

TEST_F(LabConfigTest, NoKeyOfTheLabIsLeftOutOfThatRule) {
  for (const Option& option : table_.options()) {
    if (!option.key.starts_with("lab.") || option.key == "lab.enabled") continue;
    // Any other value than the default, found by trying what some type takes.
    for (const char* value : {"classic", "pool", "none", "per_recipient", "off", "reject",
                              "after_log", "false", "7", "7ms"}) {
      AppConfig config;
      if (!option.set(config, value).ok() || option.get(config) == option.get(AppConfig()))
        continue;
      const auto broken = FindBrokenRule(config);
      ASSERT_TRUE(broken.has_value()) << option.key << "=" << value;
      EXPECT_EQ(broken->key, option.key);
    }
  }
}

TEST_F(LabConfigTest, ClassicSetsTheOtherKeys) {
  const AppConfig config = Load({{"lab.profile", "classic"}});

  EXPECT_EQ(config.lab_dispatch, "pool");
  EXPECT_EQ(config.lab_deadline, "fixed");
  EXPECT_EQ(config.lab_fixed_deadline, seconds(30));
  EXPECT_EQ(config.lab_local, "per_recipient");
  EXPECT_EQ(config.lab_repair, "off");
  EXPECT_EQ(config.lab_executor_core, 30u);
  EXPECT_EQ(config.lab_executor_max, 200u);
  EXPECT_EQ(config.lab_executor_queue, 1000u);
  EXPECT_EQ(config.lab_executor_overflow, "caller_runs");
  EXPECT_EQ(config.lab_server_workers, 0u);
}

TEST_F(LabConfigTest, ModernIsTheDefaults) {
  AppConfig expected;
  expected.lab_enabled = true;
  expected.lab_profile = "modern";

  EXPECT_EQ(PrintConfig(table_, Load({{"lab.profile", "modern"}})), PrintConfig(table_, expected));
}

TEST_F(LabConfigTest, AKeyThatIsGivenAnywhereWinsOverTheProfile) {
  sources_.environment = {{"MINICHAT_LAB_PROFILE", "classic"}, {"MINICHAT_LAB_REPAIR", "on"}};

  const AppConfig config = Load({{"lab.executor.core", "2"}, {"lab.local", "batched"}});

  EXPECT_EQ(config.lab_repair, "on");  // also a weaker source, and the default's own value
  EXPECT_EQ(config.lab_local, "batched");
  EXPECT_EQ(config.lab_executor_core, 2u);
  EXPECT_EQ(config.lab_dispatch, "pool");
}

TEST_F(LabConfigTest, EveryValueOfAProfileIsOneThatItsKeyTakes) {
  for (const char* profile : {"classic", "modern"}) {
    EXPECT_FALSE(ValuesOfProfile(profile).empty());
    for (const ProfileValue& each : ValuesOfProfile(profile)) {
      const Option* option = table_.Find(each.key);
      ASSERT_NE(option, nullptr) << each.key;
      AppConfig config;
      EXPECT_TRUE(option->set(config, each.value).ok()) << each.key;
    }
  }
}

TEST_F(LabConfigTest, PrintsWhatTheProfileSetAndReadsItAgain) {
  const std::string printed =
      PrintConfig(table_, Load({{"lab.profile", "classic"}, {"lab.deadline", "none"}}));

  EXPECT_THAT(printed, HasSubstr("lab.profile: \"classic\"\n"));
  EXPECT_THAT(printed, HasSubstr("lab.dispatch: \"pool\"\n"));
  EXPECT_THAT(printed, HasSubstr("lab.deadline: \"none\"\n"));
  EXPECT_THAT(printed, HasSubstr("lab.fixed_deadline: \"30s\"\n"));
  EXPECT_THAT(printed, HasSubstr("lab.executor.overflow: \"caller_runs\"\n"));
}

TEST_F(LabConfigTest, StreamGoesWithNoSwitchOfUnaryCalls) {
  EXPECT_THAT(Refusal({{"relay.mode", "stream"}, {"lab.dispatch", "pool"}}),
              HasSubstr("--relay.mode: relay.mode: stream has no calls to block in"));
  EXPECT_THAT(Refusal({{"relay.mode", "stream"}, {"lab.profile", "classic"}}),
              HasSubstr("lab.dispatch: pool (lab.profile is classic)"));
  EXPECT_THAT(Refusal({{"relay.mode", "stream"}, {"lab.deadline", "none"}}),
              HasSubstr("can't go with lab.deadline: none"));
  EXPECT_THAT(Refusal({{"relay.mode", "stream"}, {"lab.server_workers", "4"}}),
              HasSubstr("can't go with lab.server_workers"));
  EXPECT_EQ(Load({{"relay.mode", "stream"}, {"lab.deadline", "fixed"}}).relay_mode, "stream");
}

TEST_F(LabConfigTest, ThePoolGrowsToAtLeastItsCore) {
  EXPECT_THAT(Refusal({{"lab.dispatch", "pool"}, {"lab.executor.max", "8"}}),
              HasSubstr("lab.executor.max: 8 is below lab.executor.core, 30"));
}

TEST_F(LabConfigTest, WhatWouldCountForNothingIsRefused) {
  EXPECT_THAT(Refusal({{"lab.executor.queue", "7"}}), HasSubstr("nothing else uses the pool"));
  EXPECT_THAT(Refusal({{"lab.fixed_deadline", "7s"}}),
              HasSubstr("lab.fixed_deadline: counts only with lab.deadline: fixed"));
  EXPECT_EQ(Load({{"lab.local", "per_recipient"}, {"lab.executor.queue", "7"}}).lab_executor_queue,
            7u);
  EXPECT_EQ(Load({{"lab.fault.relay_delay", "60ms"}}).lab_fault_relay_delay, milliseconds(60));
}

}  // namespace
}  // namespace minichat::app
