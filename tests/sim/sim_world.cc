#include "tests/sim/sim_world.h"

#include <algorithm>

#include "server/core/core_metrics.h"
#include "tests/sim/faults.h"
#include "tests/sim/observer.h"
#include "tests/sim/sim_client.h"
#include "tests/sim/sim_kafka.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_redis.h"
#include "tests/sim/sim_store.h"

namespace minichat::sim {

namespace {

constexpr double kAllKnown = 5;  // by then each node knows all the others

}  // namespace

SimWorld::SimWorld(const SimOptions& options, core::CoreMetrics& metrics)
    : options_(options), metrics_(metrics), timeline_(options.seed) {
  const std::size_t rooms = random().Chance(.5) ? 2 : 3;
  for (std::size_t i = 0; i < rooms; ++i) rooms_.emplace_back("r" + std::to_string(i));
  const std::vector<double> thinks = {.4, .8, 1.5};
  const std::vector<double> jitters = {0, 0, .05, .2};
  think_ = random().Pick(thinks);
  jitter_ = random().Pick(jitters);
  slow_ = random().Chance(.3);
  if (options.faults.empty()) {  // fair weather
    jitter_ = 0;
    slow_ = false;
  }
  jittery_ = jitter_ > 0 || slow_;

  observer_ = std::make_unique<Observer>(*this);
  redis_ = NewRedis(1);
  store_ = std::make_unique<SimStoreServer>(*this);
  kafka_ = std::make_unique<SimKafka>(*this, 2);
  faults_ = std::make_unique<Faults>(*this);
  for (const char* name : {"n1", "n2", "n3"}) {
    nodes_.push_back(std::make_unique<SimNode>(*this, core::NodeName(name), *redis_));
  }
  for (const char* user : {"ann", "bob", "cyd"}) {
    for (const char* device : {"0", "1"}) {
      clients_.push_back(
          std::make_unique<SimClient>(*this, std::string(user) + device, core::UserId(user)));
    }
  }
}

SimWorld::~SimWorld() {
  tasks_.Clear();
}

void SimWorld::Run() {
  for (const auto& node : nodes_) node->Start();
  for (const auto& client : clients_) client->Start();
  kafka_->StartCoordinator();
  faults_->Start();
  Spawn(ChangeModes());
  Spawn(MakeSilences());
  Spawn(Watch());
  timeline_.At(TimePoint(Seconds(kFinale)), [this] { Finale(); });
  timeline_.At(TimePoint(Seconds(kFaultsTo + 4)), [this] {
    jitter_ = 0;
    slow_ = false;
  });
  timeline_.RunUntil(TimePoint(Seconds(kAllKnown)));
  const double swept = metrics_.pulls_sweep.Value();
  timeline_.RunUntil(TimePoint(Seconds(kEnd)));
  if (options_.faults.empty() && metrics_.pulls_sweep.Value() > swept) {
    observer_->Violation("REPAIR",
                         "in fair weather the sweep had to pull what relays should bring");
  }
  observer_->Finish();
}

Duration SimWorld::Net() {
  Random& chance = random();
  if (chance.Chance(jitter_)) return Seconds(chance.Uniform(.001, .35));
  const double dice = chance.Uniform(0, 1);
  if (dice < .9) return Seconds(chance.Uniform(.0003, .002));
  if (dice < .99) return Seconds(chance.Uniform(.001, .02));
  return Seconds(slow_ ? chance.Uniform(.02, .25) : chance.Uniform(.01, .05));
}

void SimWorld::Hit(std::string_view step, std::string_view phase, SimNode* node) {
  faults_->Hit(step, phase, node);
}

void SimWorld::Trace(const std::string& line) {
  if (!options_.trace) return;
  std::string time = std::to_string(now());
  time.insert(0, time.size() < 9 ? 9 - time.size() : 0, ' ');
  trace_.push_back(time + " " + line);
}

SimNode* SimWorld::FindNode(const core::NodeName& name) {
  const auto it = std::find_if(nodes_.begin(), nodes_.end(),
                               [&](const auto& node) { return node->name() == name; });
  return it == nodes_.end() ? nullptr : it->get();
}

SimRedis* SimWorld::NewRedis(int boot) {
  redises_.push_back(std::make_unique<SimRedis>(*this, boot));
  redis_ = redises_.back().get();
  return redis_;
}

bool SimWorld::IsSilent(const core::RoomId& room) const {
  const auto it = silent_until_.find(room);
  return it != silent_until_.end() && now() < it->second;
}

Task<void> SimWorld::ChangeModes() {
  for (;;) {
    bulk_ = random().Chance(.5);
    co_await Sleep(random().Uniform(1, 8));
  }
}

Task<void> SimWorld::MakeSilences() {
  for (;;) {
    co_await Sleep(random().Uniform(3, 12));
    silent_until_[random().Pick(rooms_)] = now() + random().Uniform(5, 10);
  }
}

Task<void> SimWorld::Watch() {
  for (;;) {
    co_await Sleep(.25);
    observer_->Watch();
  }
}

// The faults are over: one more message in each room, and all of it must become whole.
void SimWorld::Finale() {
  for (const auto& client : clients_) {
    for (const core::RoomId& room : client->wanted()) {
      Spawn(client->SendMessage(room, client->NextCid(), "last", true));
    }
  }
}

}  // namespace minichat::sim
