#include "server/app/step_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/base/asio_scheduler.h"

namespace minichat::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::ElementsAre;
using Done = std::function<void()>;

class StepSequenceTest : public testing::Test {
 protected:
  void Run(std::vector<StopStep> steps) {
    scheduler_.Post([this, steps = std::move(steps)] {
      RunSteps(scheduler_, steps, [this] {
        order_.push_back("finished");
        io_.stop();
      });
    });
    io_.run();
  }
  void Note(const std::string& name) { order_.push_back(name); }

  boost::asio::io_context io_;
  AsioScheduler scheduler_{io_};
  std::vector<std::string> order_;
};

TEST_F(StepSequenceTest, RunsStepsOneAfterTheOther) {
  Run({{"inside", minutes(1),
        [this](Deadline, const Done& done) {
          Note("inside");
          done();
        }},
       {"later", minutes(1), [this](Deadline, const Done& done) {
          scheduler_.Post([this, done] {
            Note("later");
            done();
          });
        }}});

  EXPECT_THAT(order_, ElementsAre("inside", "later", "finished"));
}

TEST_F(StepSequenceTest, LeavesAStepBehindAtItsLimitAndIgnoresItsLateAnswer) {
  Done late;
  Run({{"stuck", milliseconds(5), [&](Deadline, const Done& done) { late = done; }},
       {"next", minutes(1), [&](Deadline, const Done& done) {
          late();
          Note("next");
          done();
        }}});

  EXPECT_THAT(order_, ElementsAre("next", "finished"));
}

}  // namespace
}  // namespace minichat::app
