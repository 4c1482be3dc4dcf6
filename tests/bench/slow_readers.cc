#include "tests/bench/slow_readers.h"

#include <functional>
#include <memory>
#include <vector>

#include "tests/bench/bench_report.h"

namespace minichat::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kComeBack{100};
constexpr seconds kLooksAgain{20};  // the kernel holds up to 36 MB before the node notices
constexpr seconds kPatience{30};

// Members that join, stop reading at once, and come back when the node has closed them.
class SlowReaders final : public loadtest::LoadObserver {
 public:
  SlowReaders(loadtest::ClientLoop& loop, loadtest::LoadOptions options, std::size_t count)
      : loop_(loop), options_(std::move(options)), sessions_(count) {
    for (std::size_t i = 0; i < count; ++i) Open(i);
  }
  ~SlowReaders() override {
    for (const auto& timer : timers_) loop_.Cancel(timer);
  }
  SlowReaders(const SlowReaders&) = delete;

  void OnJoined(loadtest::LoadSession& session) override {
    session.connection().SetReading(false);
    // Who doesn't read doesn't hear of a close either: it stands behind what was not read.
    At(kLooksAgain, [this, &session, index = session.index()] {
      if (sessions_[index].get() == &session) session.connection().SetReading(true);
    });
  }
  void OnEvent(loadtest::LoadSession&, std::uint64_t, std::string_view, std::string_view) override {
  }
  void OnAck(loadtest::LoadSession&, std::uint64_t, std::string_view, bool) override {}
  void OnError(loadtest::LoadSession&, std::uint64_t, const std::string&) override {}
  void OnEnd(loadtest::LoadSession& session, const loadtest::CloseInfo&) override {
    ++closed_;
    // Not from its own callback.
    At(kComeBack, [this, index = session.index()] { Open(index); });
  }

  std::size_t closed() const { return closed_; }

 private:
  void At(milliseconds later, std::function<void()> work) {
    timers_.push_back(loop_.At(loadtest::Clock::now() + later, std::move(work)));
  }
  void Open(std::size_t index) {
    sessions_[index] = std::make_unique<loadtest::LoadSession>(
        loop_, options_.nodes[index % options_.nodes.size()], *this, index,
        options_.label + "-slow" + std::to_string(index), options_.label + "-room");
  }

  loadtest::ClientLoop& loop_;
  const loadtest::LoadOptions options_;
  std::vector<std::unique_ptr<loadtest::LoadSession>> sessions_;
  std::vector<loadtest::ClientLoop::TimerId> timers_;
  std::size_t closed_ = 0;
};

void Note(const std::string& what, SlowReaderResult* result) {
  if (what.empty()) return;
  result->invalid += (result->invalid.empty() ? "" : "; ") + what;
}

}  // namespace

Result<SlowReaderResult> MeasureSlowReaders(test::ServiceSet& services,
                                            const SlowReaderOptions& options) {
  loadtest::ClientLoop loop;
  auto cluster = BenchCluster::Start(services, loop, {.members = options.healthy});
  if (!cluster.ok()) return cluster.status();
  loadtest::LoadOptions load = (*cluster)->LoadFor(options.healthy);
  load.text_bytes = options.text_bytes;
  loadtest::LoadGenerator healthy(loop, load);
  if (const Status s = healthy.Connect(kPatience); !s.ok()) return s;

  SlowReaderResult result;
  loadtest::LoadPace pace{.rate = options.rate, .duration = options.without, .patience = kPatience};
  const auto without = healthy.Run(pace);
  result.p99_without_ms = without->delivery.AtMs(0.99);
  Note(without->counts.Findings(), &result);

  SlowReaders slow(loop, load, options.slow);
  pace.duration = options.with;
  const auto early = loop.At(loadtest::Clock::now() + options.with * 2 / 5,
                             [&] { result.early_mib = (*cluster)->ResidentKib() / 1024; });
  const auto with = healthy.Run(pace);
  loop.Cancel(early);
  result.late_mib = (*cluster)->ResidentKib() / 1024;
  result.p99_with_ms = with->delivery.AtMs(0.99);
  result.closed = slow.closed();
  Note(with->counts.Findings(), &result);
  if (result.closed == 0) Note("no slow reader was closed", &result);
  return result;
}

std::string ToTable(const SlowReaderResult& result) {
  return Line(
      "\nClients that stop reading: %zu closed; p99 of the others %.1f ms, %.1f ms without "
      "(%.2fx); memory of the nodes %.1f MiB, later %.1f MiB (%+.1f %%) %s",
      result.closed, result.p99_with_ms, result.p99_without_ms,
      result.p99_with_ms / result.p99_without_ms, result.early_mib, result.late_mib,
      (result.late_mib / result.early_mib - 1) * 100, result.invalid.c_str());
}

}  // namespace minichat::bench
