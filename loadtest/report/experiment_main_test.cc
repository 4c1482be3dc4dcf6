#include "loadtest/report/experiment_main.h"

#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>

namespace minichat::report {
namespace {

class ExperimentMainTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(dir_); }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  int Run(const Experiment& experiment) {
    return ExperimentMain({"--out", dir_.string()}, "about", {}, experiment);
  }
  static Experiment Finding(bool holds) {
    return [holds](const ExperimentOptions&) {
      ReportDocument document;
      document.checks = {{"lost", "0", holds ? "0" : "1", holds}};
      return document;
    };
  }

  const std::filesystem::path dir_ =
      std::filesystem::path(testing::TempDir()) / "experiment_main_test";
};

TEST_F(ExperimentMainTest, EndsWell) {
  EXPECT_EQ(Run(Finding(true)), 0);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "report.json"));
}

TEST_F(ExperimentMainTest, TellsABrokenCheckAndStillWritesTheReport) {
  EXPECT_EQ(Run(Finding(false)), 1);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "report.json"));
}

TEST_F(ExperimentMainTest, TellsThatItCouldNotRun) {
  EXPECT_EQ(Run([](const auto&) { return Unavailable("no redis"); }), 2);
  EXPECT_EQ(Run([](const auto&) -> Result<ReportDocument> { throw std::runtime_error("no"); }), 2);
  EXPECT_EQ(ExperimentMain({"--bad"}, "about", {}, Finding(true)), 2);
}

}  // namespace
}  // namespace minichat::report
