#include "loadtest/experiments/overload/cluster_run.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>

#include <unistd.h>

#include "loadtest/inspect/kafka_inspector.h"
#include "loadtest/inspect/postgres_inspector.h"
#include "loadtest/load/load_generator.h"
#include "server/base/check.h"
#include "tests/bench/cpu_clock.h"
#include "tests/support/test_cluster.h"

namespace minichat::lab {
namespace {

using loadtest::LoadGenerator;
using loadtest::LoadResult;
using std::chrono::seconds;

constexpr seconds kConnectLimit{60};
constexpr seconds kReadLimit{120};
constexpr std::size_t kTextBytes = 200;
constexpr const char* kCapacity = "capacity";

using Ids = std::set<std::string>;

std::size_t CountMissing(const Ids& wanted, const Ids& there) {
  return static_cast<std::size_t>(std::count_if(
      wanted.begin(), wanted.end(), [&](const std::string& id) { return !there.contains(id); }));
}

double ResidentMib(pid_t pid) {
  double total = 0, resident = 0;
  std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double Seconds(loadtest::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// The cluster under load, watched once a second.
//
// Threading: confined to one thread.
class ClusterRun {
 public:
  ClusterRun(const ClusterPlan& plan, test::ServiceSet& services)
      : plan_(plan),
        cluster_(services, {.nodes = static_cast<int>(plan.nodes),
                            .flags = {{"limits.messages_per_s", "100000"},
                                      {"limits.waiting_sends", std::to_string(plan.waiting_sends)},
                                      {"logging.level", "info"}}}),
        description_(cluster_.Description()),
        kafka_(description_.kafka),
        postgres_(description_.postgres),
        generator_(loop_,
                   {.label = "overload-" + std::to_string(getpid()) + "-" +
                             std::to_string(plan.waiting_sends),
                    .nodes = cluster_.ClientEndpoints(),
                    .members = plan.members,
                    .talkers = plan.members,
                    .text_bytes = kTextBytes,
                    .rooms = plan.rooms},
                   {.on_second = [this](const auto& progress) { OnSecond(progress); }}) {}

  Status Run() {
    const auto begin = kafka_.Ends();
    if (!begin.ok()) return begin.status();
    if (const Status s = generator_.Connect(kConnectLimit); !s.ok()) return s;
    FindCapacity();
    if (result_.acked_closed <= 0) return Unavailable("overload: nothing was acked");
    start_ = loadtest::Clock::now();
    RunPhase("calm", result_.capacity / 2, plan_.calm);
    RunPhase("overload", result_.capacity * plan_.factor, plan_.overload);
    RunPhase("after", result_.capacity / 2, plan_.calm);
    generator_.Close();
    return CompareIds(*begin);
  }

  ClusterResult TakeResult() { return std::move(result_); }

 private:
  void FindCapacity() {
    phase_ = kCapacity;
    result_.acked_closed = Search({.in_flight = plan_.in_flight});
    result_.acked_open = Search({.rate = result_.acked_closed * plan_.factor});
    result_.capacity = std::max(result_.acked_closed, result_.acked_open);
  }

  // Messages acked a second.
  double Search(loadtest::LoadPace pace) {
    Ready();
    pace.duration = plan_.find;
    pace.patience = plan_.patience;
    const auto found = generator_.Run(pace);
    Keep(*found);
    return static_cast<double>(found->counts.acked) / found->send_seconds;
  }

  void RunPhase(const std::string& name, double rate, seconds duration) {
    phase_ = name;
    Ready();
    ClusterPhase phase;
    phase.name = name;
    phase.rate = rate;
    phase.from_s = Seconds(loadtest::Clock::now() - start_);
    const auto run =
        generator_.Run({.rate = rate, .duration = duration, .patience = plan_.patience});
    phase.to_s = phase.from_s + run->send_seconds;
    phase.drained_s = Seconds(loadtest::Clock::now() - start_);
    Describe(*run, &phase);
    result_.phases.push_back(std::move(phase));
    Keep(*run);
  }

  static void Describe(const LoadResult& run, ClusterPhase* phase) {
    phase->sent = run.counts.sent;
    phase->acked = run.counts.acked;
    phase->errors = run.counts.errors;
    std::uint64_t answered = run.counts.acked;
    for (const auto& [code, count] : run.counts.errors) answered += count;
    phase->unanswered = run.counts.sent - std::min(run.counts.sent, answered);
    phase->lost = run.counts.lost;
    phase->repeated = run.counts.repeated;
    phase->misordered = run.counts.misordered;
    phase->late_sends = run.late_sends;
    phase->ack_p50_ms = run.ack.AtMs(0.5);
    phase->ack_p99_ms = run.ack.AtMs(0.99);
    phase->delivery_p95_ms = run.delivery.AtMs(0.95);
    phase->refusal_p50_ms = run.refusal.AtMs(0.5);
    phase->refusal_p99_ms = run.refusal.AtMs(0.99);
    phase->refusal_max_ms = run.refusal.AtMs(1);
  }

  void Keep(const LoadResult& run) {
    acked_.insert(run.acked_ids.begin(), run.acked_ids.end());
    result_.closed_connections = std::max(result_.closed_connections, run.closed_connections);
  }

  // Counts of a run begin at 0.
  void Ready() {
    refused_before_ = 0;
    nodes_cpu_before_ = NodesCpu();
    looked_ = loadtest::Clock::now();
  }

  double NodesCpu() const {
    double sum = 0;
    for (const auto& node : description_.nodes) sum += bench::CpuSeconds(node.pid);
    return sum;
  }

  void OnSecond(const loadtest::LoadProgress& progress) {
    std::uint64_t refused = 0;
    for (const auto& [code, count] : progress.counts.errors) refused += count;
    const auto now = loadtest::Clock::now();
    const double cpu = NodesCpu();
    ClusterSecond second;
    second.at_s = Seconds(now - start_);
    second.sent = progress.last.sent;
    second.acked = progress.last.acked;
    second.refused = refused - refused_before_;
    second.p95_ms = progress.last.p95_ms;
    second.nodes_cpu = (cpu - nodes_cpu_before_) / Seconds(now - looked_);
    second.generator_cpu = progress.last.cpu_share;
    for (const auto& node : description_.nodes) second.memory_mib += ResidentMib(node.pid);
    refused_before_ = refused;
    nodes_cpu_before_ = cpu;
    looked_ = now;
    std::fprintf(stderr, "overload: %s: sent %llu, acked %llu, refused %llu, %.0f MiB\n",
                 phase_.c_str(), static_cast<unsigned long long>(second.sent),
                 static_cast<unsigned long long>(second.acked),
                 static_cast<unsigned long long>(second.refused), second.memory_mib);
    if (phase_ != kCapacity) result_.seconds.push_back(second);
  }

  std::vector<std::string> Rooms() const {
    std::vector<std::string> rooms;
    for (std::size_t i = 0; i < plan_.rooms; ++i) rooms.push_back(generator_.RoomName(i));
    return rooms;
  }

  Status CompareIds(const loadtest::LogOffsets& begin) {
    // The persister is behind the acks by up to some seconds.
    const auto stored_all = [this] {
      const auto count = postgres_.CountRows(Rooms());
      return count.ok() && *count >= acked_.size();
    };
    loop_.RunUntil(stored_all, plan_.patience, std::chrono::milliseconds(200));
    Ids stored;
    for (const std::string& room : Rooms()) {
      const auto rows = postgres_.Rows(room);
      if (!rows.ok()) return rows.status();
      for (const auto& row : *rows) stored.insert(row.id);
    }
    const auto end = kafka_.Ends();
    if (!end.ok()) return end.status();
    const auto entries = kafka_.Read(begin, *end, kReadLimit);
    if (!entries.ok()) return entries.status();
    Ids logged;
    for (const auto& entry : *entries) logged.insert(entry.id);
    result_.acked_ids = acked_.size();
    result_.stored_ids = stored.size();
    result_.logged_ids = logged.size();
    result_.acked_not_stored = CountMissing(acked_, stored);
    result_.acked_not_logged = CountMissing(acked_, logged);
    result_.stored_not_acked = CountMissing(stored, acked_);
    return {};
  }

  const ClusterPlan plan_;
  test::TestCluster cluster_;
  const loadtest::Cluster description_;
  loadtest::KafkaInspector kafka_;
  loadtest::PostgresInspector postgres_;
  loadtest::ClientLoop loop_;
  LoadGenerator generator_;
  loadtest::Clock::time_point start_ = loadtest::Clock::now();
  std::string phase_;
  Ids acked_;
  std::uint64_t refused_before_ = 0;
  double nodes_cpu_before_ = 0;
  loadtest::Clock::time_point looked_ = start_;
  ClusterResult result_;
};

}  // namespace

ClusterPlan ClusterPlan::Quick() {
  ClusterPlan plan;
  plan.find = seconds(2);
  plan.calm = seconds(3);
  plan.overload = seconds(6);
  return plan;
}

ClusterPlan ClusterPlan::Loose() {
  ClusterPlan plan;
  plan.waiting_sends = 64;
  plan.in_flight = 96;
  plan.overload = seconds(20);
  return plan;
}

const ClusterPhase& ClusterResult::Phase(const std::string& name) const {
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [&](const ClusterPhase& phase) { return phase.name == name; });
  CHECK(found != phases.end());  // RunCluster() makes all three
  return *found;
}

Result<ClusterResult> RunCluster(const ClusterPlan& plan) {
  test::ServiceSet* services = test::ServiceSet::Shared();
  if (services == nullptr) {
    return FailedPrecondition("overload: redis, kafka or postgres is not installed");
  }
  ClusterRun run(plan, *services);
  if (const Status s = run.Run(); !s.ok()) return s;
  return run.TakeResult();
}

}  // namespace minichat::lab
