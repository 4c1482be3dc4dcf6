#include "tests/sim/faults.h"

#include <algorithm>
#include <memory>

#include "server/base/check.h"
#include "tests/sim/sim_kafka.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_redis.h"
#include "tests/sim/sim_store.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {
namespace {

// Steps at which faults are armed; those that stand here more often are chosen more often.
const std::vector<std::string> kSteps = {
    "commit", "commit", "commit",   "take",      "mark",      "lease",   "warm",
    "reg",    "join",   "window",   "heads",     "routes",    "genset",  "genget",
    "hb",     "append", "append",   "pg_insert", "pg_insert", "pg_look", "pg_max",
    "pg_max", "pg_gen", "pg_range", "relay",     "relay"};

// Not mixed into the others.
const std::vector<std::string> kRareKinds = {"emptysplit", "slowread"};

}  // namespace

const std::vector<std::string>& Faults::Kinds() {
  static const std::vector<std::string> kKinds = {"crash", "pause", "longpause", "stall", "wipe",
                                                  "old",   "flush", "split",     "kafka", "pg",
                                                  "lag",   "cut",   "rlink",     "cwp"};
  return kKinds;
}

bool Faults::IsKind(const std::string& kind) {
  const auto has = [&](const std::vector<std::string>& kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  return has(Kinds()) || has(kRareKinds);
}

void Faults::Start() {
  if (!world_.options().faults.empty()) world_.Spawn(Chaos());
}

Task<void> Faults::Chaos() {
  Random& random = world_.random();
  const SimOptions& options = world_.options();
  co_await world_.Sleep(kFaultsFrom);
  while (world_.now() < kFaultsTo) {
    std::vector<std::string> kinds = {random.Pick(options.faults)};
    if (random.Chance(.6)) {
      if (random.Chance(options.pair) && options.faults.size() > 1) {
        kinds.push_back(random.Pick(options.faults));
      }
      Arm(kinds);
    } else {
      Inject(kinds.front(), nullptr);
    }
    co_await world_.Sleep(random.Chance(.7) ? random.Exponential(3 / options.rate)
                                            : random.Uniform(0, .4));
  }
}

// If the step doesn't come within 3 s, the fault comes anyway.
void Faults::Arm(std::vector<std::string> kinds) {
  Random& random = world_.random();
  const auto& steps = world_.options().steps;
  const std::string step = random.Pick(steps.empty() ? kSteps : steps);
  armed_.push_back({step, random.Chance(1.0 / 3) ? "sent" : "done",
                    1 + static_cast<int>(random.Below(3)), std::move(kinds)});
  const auto armed = std::prev(armed_.end());
  world_.timeline().After(Seconds(3), [this, armed] { Fire(armed, nullptr); });
}

void Faults::Hit(std::string_view step, std::string_view phase, SimNode* node) {
  for (auto it = armed_.begin(); it != armed_.end(); ++it) {
    if (it->step != step || it->phase != phase || --it->countdown != 0) continue;
    world_.timeline().After(Duration::zero(), [this, it, node] { Fire(it, node); });
  }
}

void Faults::Fire(std::list<Armed>::iterator armed, SimNode* node) {
  if (armed->kinds.empty()) return;  // has fired
  fired_.splice(fired_.end(), armed_, armed);
  for (const std::string& kind : std::exchange(armed->kinds, {})) {
    if (node != nullptr && world_.tracing()) {
      world_.Trace("-- " + kind + " at " + armed->step + "/" + armed->phase + " of " +
                   node->name().value());
    }
    Inject(kind, node);
  }
}

void Faults::Inject(const std::string& kind, SimNode* node) {
  if (node == nullptr) node = world_.random().Pick(world_.nodes()).get();
  const double seconds = Begin(kind, *node);
  windows_.emplace_back(world_.now(), world_.now() + seconds);
}

bool Faults::WasQuiet(double from, double to) const {
  if (from <= kFaultsTo + 5 && world_.jittery()) return false;
  return std::none_of(windows_.begin(), windows_.end(), [&](const auto& window) {
    return window.first <= to && window.second >= from;
  });
}

bool Faults::IsCut(const SimNode& a, const SimNode& b) const {
  return cuts_.contains(std::minmax(&a, &b));
}

double Faults::Begin(const std::string& kind, SimNode& node) {
  Random& random = world_.random();
  if (kind == "crash") return CrashNode(node);
  if (kind == "pause") {
    const std::vector<double> lengths = {random.Uniform(.3, 2.5), random.Uniform(3, 10),
                                         random.Uniform(6, 10)};
    return HangNode(node, random.Pick(lengths));
  }
  if (kind == "longpause") {
    const double dedup = world_.options().times.dedup;
    return HangNode(node, std::min(random.Uniform(dedup * .8, dedup * 1.2), 36 - world_.now()));
  }
  if (kind == "stall") return StallRedis();
  if (kind == "wipe") return LoseRedis(false);
  if (kind == "old") return LoseRedis(true);
  if (kind == "flush") return FlushRedis();
  if (kind == "split") return SplitRedis(node);
  if (kind == "emptysplit") {  // neither the old nor the new master knows anything
    FlushRedis();
    return SplitRedis(node);
  }
  if (kind == "rlink") return CutFromRedis(node);
  if (kind == "kafka") return BreakKafka();
  if (kind == "pg") return BreakPostgres();
  if (kind == "slowread") return SlowReads();
  if (kind == "lag") return LagPersisters();
  if (kind == "cut") return CutRelay();
  CHECK(kind == "cwp");  // the command line has checked
  return CrashWipeAndSlow(node);
}

// ---- Nodes

double Faults::CrashNode(SimNode& node) {
  Random& random = world_.random();
  const double seconds = random.Chance(.5) ? random.Uniform(.5, 2) : random.Uniform(1, 8);
  node.Crash();
  world_.timeline().After(Seconds(seconds), [&node] { node.Restart(); });
  return seconds;
}

double Faults::HangNode(SimNode& node, double seconds) {
  node.Hang();
  world_.timeline().After(Seconds(seconds), [&node, epoch = node.epoch()] { node.Wake(epoch); });
  return seconds;
}

double Faults::CrashWipeAndSlow(SimNode& node) {
  node.Crash();
  world_.timeline().After(Seconds(1), [&node] { node.Restart(); });
  world_.store().GoSlow();
  world_.timeline().After(Seconds(5), [this] { world_.store().Recover(); });
  return std::max(6.0, LoseRedis(false));
}

// ---- Redis

double Faults::StallRedis() {
  Random& random = world_.random();
  const double seconds = random.Chance(.5) ? random.Uniform(.2, 1) : random.Uniform(1, 5);
  SimRedis& redis = world_.redis();
  if (!redis.up() || redis.stalled()) return seconds;
  redis.Stall();
  world_.Trace("redis: stalls");
  world_.timeline().After(Seconds(seconds), [&redis] { redis.Unstall(); });
  return seconds;
}

double Faults::LoseRedis(bool to_snapshot) {
  Random& random = world_.random();
  double seconds = random.Chance(.5) ? random.Uniform(.05, .4) : random.Uniform(.3, 3);
  SimRedis& redis = world_.redis();
  if (!redis.up()) return seconds + 3;
  std::shared_ptr<memory::DirectoryState> snapshot;
  double age = 0;
  if (to_snapshot) {
    const std::vector<double> ages = {0, random.Uniform(.2, 1.5), random.Uniform(1, 10)};
    age = random.Pick(ages);
    snapshot = std::make_shared<memory::DirectoryState>(redis.state());
    world_.Trace("redis: snapshot");
  }
  world_.timeline().After(Seconds(age), [this, snapshot, seconds] {
    SimRedis& present = world_.redis();
    if (!present.up()) return;
    present.Crash();
    world_.timeline().After(Seconds(seconds),
                            [&present, snapshot] { present.Restart(snapshot.get()); });
  });
  return seconds + age + 3;
}

// The memory is lost; the process and its connections live.
double Faults::FlushRedis() {
  if (world_.redis().up()) world_.redis().Flush();
  return 3;
}

// A failover: one node goes on talking to the old master for a while.
double Faults::SplitRedis(SimNode& node) {
  Random& random = world_.random();
  const double seconds = random.Chance(.5) ? random.Uniform(.3, 2) : random.Uniform(2, 8);
  SimRedis& old = world_.redis();
  if (!old.up() || old.stalled() || !node.alive() || &node.redis() != &old) return seconds + 3;
  SimRedis& fresh = *world_.NewRedis(old.boot() + 1);
  if (random.Chance(.7)) fresh.Load(old.state());
  world_.Trace("redis: failover to " + fresh.run_id() + "; " + node.name().value() + " stays on " +
               old.run_id());
  for (const auto& other : world_.nodes()) {
    if (other.get() == &node) continue;
    other->SetRedis(fresh);
    world_.timeline().After(
        Seconds(random.Uniform(0, .05)),
        [n = other.get(), run_id = other->redis_run_id()] { n->LoseRedis(run_id); });
  }
  world_.timeline().After(Seconds(seconds), [this, &node, &old] {
    old.GoAway();
    world_.Trace("redis: " + old.run_id() + " is gone");
    if (&node.redis() != &old) return;
    node.SetRedis(world_.redis());
    node.LoseRedis(node.redis_run_id());
  });
  return seconds + 3;
}

double Faults::CutFromRedis(SimNode& node) {
  Random& random = world_.random();
  const double seconds = random.Chance(.5) ? random.Uniform(.3, 2) : random.Uniform(2, 9);
  if (!node.redis_link()) return seconds;
  node.SetRedisLink(false);
  world_.Trace(node.name().value() + ": cut from redis");
  if (random.Chance(.5)) {
    world_.timeline().After(Seconds(.3),
                            [&node, run_id = node.redis_run_id()] { node.LoseRedis(run_id); });
  }
  world_.timeline().After(Seconds(seconds), [this, &node] {
    node.SetRedisLink(true);
    world_.Trace(node.name().value() + ": redis link back");
  });
  return seconds;
}

// ---- Kafka, Postgres, relay

double Faults::BreakKafka() {
  using Mode = SimKafka::Mode;
  const double seconds = world_.random().Uniform(.5, 5);
  const std::vector<Mode> modes = {Mode::kSlow, Mode::kUnknown, Mode::kDown};
  const Mode mode = world_.random().Pick(modes);
  world_.Trace(mode == Mode::kSlow      ? "kafka: slow"
               : mode == Mode::kUnknown ? "kafka: unknown"
                                        : "kafka: down");
  world_.kafka().Fail(mode, seconds);
  return seconds;
}

double Faults::BreakPostgres() {
  Random& random = world_.random();
  const double seconds = random.Chance(.5) ? random.Uniform(.3, 2) : random.Uniform(2, 8);
  const double dice = random.Uniform(0, 1);
  SimStoreServer& store = world_.store();
  if (dice < .25) {
    store.GoLossy();
    world_.Trace("pg: lossy");
  } else if (dice < .5) {
    store.GoSlow();
    world_.Trace("pg: slow");
  } else {
    store.GoDown();
    world_.Trace("pg: down");
  }
  world_.timeline().After(Seconds(seconds), [this, &store] {
    store.Recover();
    world_.Trace("pg: ok");
  });
  return seconds;
}

// Pages of rows come late, but in time; all else is as fast as ever.
double Faults::SlowReads() {
  const double seconds = world_.random().Uniform(1, 6);
  world_.store().SetReadsSlowly(true);
  world_.Trace("pg: reads slowly");
  world_.timeline().After(Seconds(seconds), [this] { world_.store().SetReadsSlowly(false); });
  return seconds;
}

double Faults::LagPersisters() {
  const double seconds = world_.random().Uniform(1, 8);
  world_.kafka().SetLag(true);
  world_.Trace("persister: lags");
  world_.timeline().After(Seconds(seconds), [this] { world_.kafka().SetLag(false); });
  return seconds;
}

double Faults::CutRelay() {
  Random& random = world_.random();
  const double seconds = random.Uniform(.5, 5);
  const std::size_t spared = random.Below(world_.nodes().size());
  std::vector<const SimNode*> ends;
  for (std::size_t i = 0; i < world_.nodes().size(); ++i) {
    if (i != spared) ends.push_back(world_.nodes()[i].get());
  }
  const std::pair<const SimNode*, const SimNode*> cut = std::minmax(ends[0], ends[1]);
  cuts_.insert(cut);
  world_.Trace("relay: cut " + ends[0]->name().value() + "-" + ends[1]->name().value());
  world_.timeline().After(Seconds(seconds), [this, cut] { cuts_.erase(cut); });
  return seconds;
}

}  // namespace minichat::sim
