#include "tests/sim/sim_kafka.h"

#include <algorithm>
#include <utility>

#include "tests/sim/sim_node.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {
namespace {

constexpr double kGiveUp = 10;  // the producer ends its wait, as the port says
constexpr std::size_t kBatch = 12;

}  // namespace

SimKafka::SimKafka(SimWorld& world, std::int32_t partitions)
    : world_(world), log_(partitions), partitions_(static_cast<std::size_t>(partitions)) {}

void SimKafka::StartCoordinator() {
  world_.timeline().After(Seconds(.4), [this] {
    Balance();
    StartCoordinator();
  });
}

// An owner that died or hangs for long loses its partition; now and then one moves for no reason.
void SimKafka::Balance() {
  std::vector<SimNode*> fit;
  for (const auto& node : world_.nodes()) {
    if (node->alive() && !node->hung()) fit.push_back(node.get());
  }
  for (Partition& p : partitions_) {
    const bool hangs = p.owner != nullptr && p.owner->alive() && p.owner->hung();
    p.owner_hangs_for = hangs ? p.owner_hangs_for + .4 : 0;
    const bool must = p.owner == nullptr || !p.owner->alive() || p.owner_hangs_for > 2;
    if (fit.empty() || (!must && !world_.random().Chance(.01))) continue;
    SimNode* next = world_.random().Pick(fit);
    if (next == p.owner) continue;
    p = {next, p.ownership + 1, 0};
    if (world_.tracing()) world_.Trace("kafka: a partition goes to " + next->name().value());
  }
}

void SimKafka::Fail(Mode mode, double seconds) {
  mode_ = mode;
  mode_end_ = world_.now() + seconds;
  world_.timeline().After(Seconds(seconds), [this, end = mode_end_] {
    if (mode_end_ > end) return;
    mode_ = Mode::kOk;
    world_.Trace("kafka: ok");
  });
}

SimLog::SimLog(SimWorld& world, SimNode& node, SimScheduler& scheduler)
    : world_(world), node_(node), scheduler_(scheduler) {}

bool SimLog::available() const {
  return true;  // the client library notices only after a while
}

SimLog::Fate SimLog::DecideFate() {
  Random& random = world_.random();
  const double now = world_.now();
  const auto net = [&] { return std::chrono::duration<double>(world_.Net()).count(); };
  switch (world_.kafka().mode()) {
    case SimKafka::Mode::kOk: {
      const double appended = now + net();
      return {appended, appended + net()};
    }
    case SimKafka::Mode::kSlow: {
      const double appended = now + random.Uniform(.01, 6);
      return {appended, appended + random.Uniform(.001, 1)};
    }
    case SimKafka::Mode::kUnknown: {
      Fate fate;
      if (random.Chance(.6)) fate.appended = now + random.Uniform(.001, 2);
      if (random.Chance(.4)) fate.reported = now + random.Uniform(2, 7);
      return fate;
    }
    case SimKafka::Mode::kDown: {
      if (random.Chance(.5)) return {std::nullopt, now + random.Uniform(.05, 3)};
      const double back = std::max(world_.kafka().mode_end(), now) + random.Uniform(.05, 1);
      return {back, back + .01};
    }
  }
  return {};
}

void SimLog::Append(const core::LogRecord& record, Callback<Status> done) {
  Fate fate = DecideFate();
  const bool loses = world_.options().lie == Lie::kReportUnlogged && world_.random().Chance(.1);
  Timeline& timeline = world_.timeline();
  const auto at = [](double seconds) { return TimePoint(Seconds(seconds)); };
  auto finish = [this, done = std::move(done),
                 finished = std::make_shared<bool>(false)](const Status& status) {
    scheduler_.Arrive([done, finished, status] {
      if (!std::exchange(*finished, true)) done(status);
    });
  };

  timeline.After(Seconds(kGiveUp), [finish] { finish(UnknownOutcome("kafka: no report")); });
  if (!fate.appended) {
    if (fate.reported) {
      timeline.At(at(*fate.reported), [finish] { finish(Unavailable("kafka: not written")); });
    }
    return;
  }
  double& last = last_append_[record.message->room];
  last = std::max(last + 1e-6, *fate.appended);
  const double report_delay = fate.reported ? std::max(.0005, *fate.reported - *fate.appended) : -1;
  timeline.At(at(last), [this, record, finish, report_delay, loses] {
    scheduler_.Arrive(
        [this, record, finish, report_delay, loses] {
          if (!loses) AppendNow(record);
          if (report_delay < 0) return;
          world_.timeline().After(Seconds(report_delay), [finish] { finish(Status()); });
        },
        std::hash<core::RoomId>()(record.message->room) | 1);
  });
}

void SimLog::AppendNow(const core::LogRecord& record) {
  world_.kafka().log().Append(world_.timeline().WallMillis(), record);
  world_.kafka().NoteLogged(record.message->id);
  if (world_.tracing()) {
    world_.Trace("kafka: " + record.message->room.value() + " " + record.message->cid.value() +
                 "/" + record.message->body);
  }
  world_.Hit("append", "done", &node_);
}

void SimLog::Start(core::LogConsumer& consumer) {
  consumer_ = &consumer;
  for (std::int32_t p = 0; p < world_.kafka().log().partitions(); ++p) Poll(p);
}

void SimLog::Poll(std::int32_t partition) {
  world_.timeline().After(Seconds(world_.random().Uniform(.02, .12)), [this, partition] {
    scheduler_.Arrive([this, partition] { Hand(partition); });
  });
}

// An owner that is no more goes on with the batch that it has: others may have the same.
void SimLog::Hand(std::int32_t partition) {
  SimKafka& kafka = world_.kafka();
  if (consumer_ == nullptr) return;
  const bool idle =
      kafka.owner(partition) != &node_ || kafka.lag() || kafka.log().waiting(partition) == 0;
  if (idle) {
    Poll(partition);
    return;
  }
  core::LogBatch batch{partition, kafka.log().Read(partition, kBatch)};
  const std::uint64_t ownership = kafka.ownership(partition);
  const std::int64_t from = batch.records.front().offset;
  const std::int64_t next = batch.records.back().offset + 1;
  consumer_->OnBatch(std::move(batch),
                     [this, partition, ownership, from, next](const Status& status) {
                       if (scheduler_.dead()) return;
                       if (status.ok()) {
                         OnStored(partition, ownership, from, next);
                       } else {
                         Poll(partition);
                       }
                     });
}

void SimLog::OnStored(std::int32_t partition, std::uint64_t ownership, std::int64_t from,
                      std::int64_t next) {
  world_.timeline().After(world_.Net(), [this, partition, ownership, from, next] {
    SimKafka& kafka = world_.kafka();
    const bool still_owner = kafka.ownership(partition) == ownership;
    if (still_owner && kafka.log().offset(partition) == from) {
      kafka.log().MoveOffset(partition, next);
    }
    Poll(partition);
  });
}

}  // namespace minichat::sim
