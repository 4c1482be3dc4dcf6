#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadtest/load/delivery_account.h"
#include "loadtest/load/latency_histogram.h"
#include "loadtest/load/load_series.h"
#include "loadtest/load/load_session.h"

namespace minichat::loadtest {

struct LoadOptions {
  std::string label;  // of the rooms and the users; [A-Za-z0-9-] only
  std::vector<Endpoint> nodes;
  std::size_t members = 150;  // of each room, spread evenly over the nodes
  std::size_t talkers = 150;  // of each room's members; they take turns
  std::size_t text_bytes = 200;
  std::size_t rooms = 1;  // they take turns too
};

// When messages are sent.
struct LoadPace {
  double rate = 0;  // a second over all rooms, at fixed times, whether or not answers come (open)
  std::size_t in_flight = 0;  // or so many at a time: the next when one is with everybody
  std::chrono::milliseconds duration{10'000};
  std::chrono::milliseconds patience{10'000};  // for what is missing at the end
};

// Where a run is, for those who watch it.
struct LoadProgress {
  LoadSecond last;
  DeliveryCounts counts;
  bool draining = false;
};

// How others take part in a run. Called on the loop's thread.
struct LoadWatch {
  std::function<void(const LoadProgress&)> on_second = [](const LoadProgress&) {};
  // How often it was asked to stop: once ends the sending, twice the waiting for what is missing.
  std::function<int()> stops = [] { return 0; };
};

using WallTime = std::chrono::system_clock::time_point;

struct LoadResult {
  DeliveryCounts counts;
  LatencyHistogram delivery;  // from the intended time of sending
  LatencyHistogram ack;
  LatencyHistogram refusal;  // answers that were no ack
  double seconds = 0;        // from the first send to the last delivery
  // Sends that the generator itself made over 50 ms late: with many, the latencies mean little.
  std::uint64_t late_sends = 0;
  // Relay calls of all nodes together that these messages make.
  std::uint64_t single_calls = 0;
  std::uint64_t bulk_calls = 0;

  WallTime send_start, send_end, drain_end;
  double send_seconds = 0;
  double send_cpu_seconds = 0;  // of this process
  double peak_cpu_share = 0;    // of one core, in one second
  std::vector<LoadSecond> series;
  std::vector<std::string> acked_ids;
  std::size_t closed_connections = 0;  // before the end
  std::string close_cause;             // of the last of them
  bool stopped = false;                // before its time
};

// Members of rooms on all nodes, some of whom talk, on one thread; each delivery is accounted for,
// and latencies count from the intended time of sending (so that a stalled server shows).
//
// Lifetime:  the loop outlives it. Connect() once, then any number of runs.
// Threading: confined to the loop's thread; Connect() and Run() block.
// Errors:    Connect() says what kept it; a run's counts say what was lost.
class LoadGenerator final : public LoadObserver {
 public:
  LoadGenerator(ClientLoop& loop, LoadOptions options, LoadWatch watch = {});
  ~LoadGenerator() override;

  Status Connect(Clock::duration limit);
  std::unique_ptr<LoadResult> Run(const LoadPace& pace);
  void Close();

  std::size_t sessions() const { return sessions_.size(); }
  std::size_t joined() const { return joined_; }
  const LoadOptions& options() const { return options_; }
  std::string RoomName(std::size_t room) const;

  void OnJoined(LoadSession& session) override;
  void OnEvent(LoadSession& session, std::uint64_t seq, std::string_view id,
               std::string_view text) override;
  void OnAck(LoadSession& session, std::uint64_t rid, std::string_view id, bool duplicate) override;
  void OnError(LoadSession& session, std::uint64_t rid, const std::string& code) override;
  void OnEnd(LoadSession& session, const CloseInfo& info) override;

 private:
  // Of a run, from 0 in the order of sending; the rooms' accounts number their own.
  using Number = std::size_t;

  struct RunState {
    RunState(const LoadPace& pace, std::size_t number, const LoadOptions& options);

    const LoadPace pace;
    const std::string prefix;  // of this run's texts
    const Clock::time_point start = Clock::now();
    Clock::time_point end;                  // of the sending
    std::vector<DeliveryAccount> accounts;  // by room
    Number sent = 0;
    LoadSeries series;
    Clock::time_point last_delivery = start;
    std::unique_ptr<LoadResult> result = std::make_unique<LoadResult>();
  };

  ClientLoop::TimerId At(Clock::time_point when, std::function<void()> work);
  void OpenMore();
  bool SendingIsOver() const;
  bool AllComplete() const;
  bool NothingLeft() const;
  void BeginSending();
  void SendAll();
  void Drain();
  std::unique_ptr<LoadResult> EndRun();
  void SendDue();
  void SendNext(Clock::time_point intended);
  void EndSecond();
  DeliveryCounts Counts() const;
  void AfterProgress(Number number);
  std::optional<Number> NumberIn(std::string_view text, std::size_t room) const;
  std::size_t RoomOf(Number number) const { return number % options_.rooms; }
  DeliveryAccount& AccountOf(Number number) { return run_->accounts[RoomOf(number)]; }
  // Of the message in its room's account.
  DeliveryAccount::Number InRoom(Number number) const { return number / options_.rooms; }
  std::size_t RoomOfSession(std::size_t session) const { return session / options_.members; }
  // Each room starts at another node.
  std::size_t NodeOf(std::size_t room, std::size_t member) const {
    return (room + member) % options_.nodes.size();
  }
  std::size_t MembersOn(std::size_t room, std::size_t node) const;
  void CountRelayCalls(std::size_t room, std::size_t sender);

  ClientLoop& loop_;
  const LoadOptions options_;
  const LoadWatch watch_;
  const std::size_t all_sessions_;
  std::vector<std::unique_ptr<LoadSession>> sessions_;  // room by room
  std::vector<ClientLoop::TimerId> timers_;  // fired ones too: cancelling those does nothing
  ClientLoop::TimerId send_timer_;
  ClientLoop::TimerId second_timer_;
  std::size_t joined_ = 0;
  std::size_t ended_ = 0;
  std::string last_error_;
  std::size_t runs_ = 0;
  std::unique_ptr<RunState> run_;  // while one goes on
  std::string text_;
};

}  // namespace minichat::loadtest
