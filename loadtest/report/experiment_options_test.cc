#include "loadtest/report/experiment_options.h"

#include <gtest/gtest.h>

namespace minichat::report {
namespace {

TEST(ExperimentOptionsTest, TakesFolderAndQuick) {
  const auto options = ParseExperimentOptions({"--out", testing::TempDir(), "--quick"});

  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_EQ(options->out, testing::TempDir());
  EXPECT_TRUE(options->quick);
  EXPECT_TRUE(options->Wants("anything"));
}

TEST(ExperimentOptionsTest, WantsOnlyTheNamedParts) {
  const auto options =
      ParseExperimentOptions({"--out", testing::TempDir(), "--only", "sync"}, {"sync", "bounded"});

  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_TRUE(options->Wants("sync"));
  EXPECT_FALSE(options->Wants("bounded"));
}

TEST(ExperimentOptionsTest, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(ParseExperimentOptions({"--out", testing::TempDir(), "--fast"}).ok());
  EXPECT_FALSE(ParseExperimentOptions({"--out", testing::TempDir(), "--only", "x"}, {"y"}).ok());
  EXPECT_FALSE(ParseExperimentOptions({"--out", "/nowhere/at/all"}).ok());
  EXPECT_FALSE(ParseExperimentOptions({"--quick"}).ok());
}

TEST(ExperimentOptionsTest, NeedsNoFolderForHelp) {
  const auto options = ParseExperimentOptions({"--help"});

  ASSERT_TRUE(options.ok());
  EXPECT_TRUE(options->help);
}

}  // namespace
}  // namespace minichat::report
