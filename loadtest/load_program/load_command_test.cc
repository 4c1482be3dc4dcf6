#include "loadtest/load_program/load_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

// What the refusal says; empty when it was taken.
std::string Refusal(const std::vector<std::string>& arguments) {
  const auto command = ParseLoadCommand(arguments);
  return command.ok() ? "" : command.status().message();
}

TEST(LoadCommandTest, HasDefaults) {
  const auto command = ParseLoadCommand({});

  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->cluster_file, "var/cluster.json");
  EXPECT_EQ(command->members, 150U);
  EXPECT_EQ(command->talkers, 15U);
  EXPECT_EQ(command->rate, 50);
  EXPECT_EQ(command->duration, milliseconds(120'000));
  EXPECT_EQ(command->drain, milliseconds(60'000));
  EXPECT_EQ(command->rooms, 1U);
}

TEST(LoadCommandTest, InASmallRoomAllTalkUnlessToldOtherwise) {
  EXPECT_EQ(ParseLoadCommand({"--members", "3"})->talkers, 3U);
}

TEST(LoadCommandTest, ReadsAllOptionsInBothForms) {
  const auto command = ParseLoadCommand({"--node",
                                         "127.0.0.1:1",
                                         "--node=127.0.0.1:2",
                                         "--members=30",
                                         "--talkers",
                                         "3",
                                         "--rate",
                                         "0.5",
                                         "--duration=1.5m",
                                         "--drain",
                                         "500ms",
                                         "--rooms",
                                         "2",
                                         "--text-bytes",
                                         "10",
                                         "--label",
                                         "a-B-1",
                                         "--allow-misordered",
                                         "--json",
                                         "-",
                                         "--ids-file",
                                         "ids",
                                         "--quiet"});

  ASSERT_TRUE(command.ok()) << command.status().message();
  ASSERT_EQ(command->nodes.size(), 2U);
  EXPECT_EQ(command->nodes[1].port, 2);
  EXPECT_EQ(command->cluster_file, "");
  EXPECT_EQ(command->members, 30U);
  EXPECT_EQ(command->talkers, 3U);
  EXPECT_EQ(command->rate, 0.5);
  EXPECT_EQ(command->duration, milliseconds(90'000));
  EXPECT_EQ(command->drain, milliseconds(500));
  EXPECT_EQ(command->rooms, 2U);
  EXPECT_EQ(command->text_bytes, 10U);
  EXPECT_EQ(command->label, "a-B-1");
  EXPECT_TRUE(command->allow_misordered);
  EXPECT_EQ(command->json_file, "-");
  EXPECT_EQ(command->ids_file, "ids");
  EXPECT_TRUE(command->quiet);
}

TEST(LoadCommandTest, RefusalsNameTheOptionAndWhatItTakes) {
  EXPECT_THAT(Refusal({"--member", "3"}), HasSubstr("unknown option \"--member\""));
  EXPECT_THAT(Refusal({"stray"}), HasSubstr("unknown option \"stray\""));
  EXPECT_THAT(Refusal({"--members"}), HasSubstr("--members: needs N"));
  for (const char* count : {"", "0", "-1", "+5", "5x", "1.5", "500001", "99999999999999999999"}) {
    EXPECT_THAT(Refusal({"--members", count}),
                AllOf(HasSubstr("--members: "), HasSubstr("from 1 to 500000")));
  }
  for (const char* rate : {"", "0", "-1", "inf", "nan", "1e7", "5/s", " 5"}) {
    EXPECT_THAT(Refusal({"--rate", rate}), AllOf(HasSubstr("--rate: "), HasSubstr("above 0")));
  }
  for (const char* time : {"", "5", "s", "5d", "5 s", "-5s", "25h", "1.2.3s"}) {
    EXPECT_THAT(Refusal({"--duration", time}), AllOf(HasSubstr("--duration: "), HasSubstr("120s")));
  }
  for (const char* node : {"", "127.0.0.1", "127.0.0.1:0", "host:80", "127.0.0.1:70000"}) {
    EXPECT_THAT(Refusal({"--node", node}), HasSubstr("IPv4 address and port"));
  }
  for (const char* label : {"", "a b", "a.b", "a_b", "ä"}) {
    EXPECT_THAT(Refusal({"--label", label}), HasSubstr("letters, digits and -"));
  }
  EXPECT_THAT(Refusal({"--label", std::string(41, 'a')}), HasSubstr("1 to 40"));
}

TEST(LoadCommandTest, OptionsThatDoNotFitTogetherAreRefused) {
  EXPECT_THAT(Refusal({"--members", "3", "--talkers", "4"}), HasSubstr("--talkers: at most"));
  EXPECT_THAT(Refusal({"--members", "5000", "--rooms", "101"}), HasSubstr("--rooms: "));
  EXPECT_THAT(Refusal({"--duration", "0s"}), HasSubstr("--duration: above 0"));
  EXPECT_THAT(Refusal({"--cluster", "f", "--node", "127.0.0.1:1"}), HasSubstr("either"));
  EXPECT_THAT(Refusal({"--rate", "5", "--rate", "6"}), HasSubstr("--rate: given twice"));
}

TEST(LoadCommandTest, LiveLoadTakesALoopbackPortAndNoEnd) {
  const auto command = ParseLoadCommand({"--control", "127.0.0.1:0", "--ports-file", "ports"});
  ASSERT_TRUE(command.ok()) << command.status().message();
  EXPECT_EQ(command->control->port, 0);
  EXPECT_EQ(command->ports_file, "ports");

  for (const char* address : {"0.0.0.0:9201", "10.0.0.1:9201", "localhost:9201", "127.0.0.1", ""}) {
    EXPECT_THAT(Refusal({"--control", address}), HasSubstr("loopback address and port")) << address;
  }
  EXPECT_THAT(Refusal({"--control", "127.0.0.1:1", "--duration", "5s"}),
              HasSubstr("--duration: not with --control"));
  EXPECT_THAT(Refusal({"--control", "127.0.0.1:1", "--node", "127.0.0.1:1"}),
              HasSubstr("--node: not with --control"));
  EXPECT_THAT(Refusal({"--ports-file", "p"}), HasSubstr("--ports-file: only with --control"));
}

TEST(LoadCommandTest, EachRunHasALabelOfItsOwnUnlessTold) {
  EXPECT_THAT(ParseLoadCommand({})->label, testing::StartsWith("load-"));
}

TEST(LoadCommandTest, TheUsageNamesEveryOption) {
  const std::string usage = LoadUsage();
  for (const char* name :
       {"--cluster", "--node", "--members", "--talkers", "--rate", "--duration", "--drain",
        "--rooms", "--text-bytes", "--label", "--allow-misordered", "--json", "--ids-file",
        "--control", "--ports-file", "--quiet", "--help", "--version"}) {
    EXPECT_THAT(usage, HasSubstr(name));
  }
}

}  // namespace
}  // namespace minichat::loadtest
