#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadtest/load/delivery_account.h"
#include "loadtest/load/latency_histogram.h"
#include "loadtest/load/load_session.h"

namespace minichat::loadtest {

struct LoadOptions {
  std::string label;  // of the room and the users; [A-Za-z0-9-] only
  std::vector<Endpoint> nodes;
  std::size_t members = 150;  // spread evenly over the nodes
  std::size_t talkers = 150;  // of the members; they take turns
  std::size_t text_bytes = 200;
};

// When messages are sent.
struct LoadPace {
  double rate = 0;            // a second, at fixed times, whether or not answers come (open model)
  std::size_t in_flight = 0;  // or so many at a time: the next when one is with everybody
  std::chrono::seconds duration{10};
  std::chrono::seconds patience{10};  // for what is missing at the end
};

struct LoadResult {
  DeliveryCounts counts;
  LatencyHistogram delivery;  // from the intended time of sending
  LatencyHistogram ack;
  double seconds = 0;  // from the first send to the last delivery
  // Sends that the generator itself made over 50 ms late: with many, the latencies mean little.
  std::uint64_t late_sends = 0;
  // Relay calls of all nodes together that these messages make.
  std::uint64_t single_calls = 0;
  std::uint64_t bulk_calls = 0;
};

// Members of one room on all nodes, some of whom talk, on one thread; each delivery is accounted
// for, and latencies count from the intended time of sending (so that a stalled server shows).
//
// Lifetime:  the loop outlives it. Connect() once, then any number of runs.
// Threading: confined to the loop's thread; Connect() and Run() block.
// Errors:    Connect() says what kept it; a run's counts say what was lost.
class LoadGenerator final : public LoadObserver {
 public:
  LoadGenerator(ClientLoop& loop, LoadOptions options);
  ~LoadGenerator() override;

  Status Connect(Clock::duration limit);
  std::unique_ptr<LoadResult> Run(const LoadPace& pace);
  void Close();

  std::size_t sessions() const { return sessions_.size(); }
  const LoadOptions& options() const { return options_; }

  void OnJoined(LoadSession& session) override;
  void OnEvent(LoadSession& session, std::uint64_t seq, std::string_view id,
               std::string_view text) override;
  void OnAck(LoadSession& session, std::uint64_t rid, std::string_view id, bool duplicate) override;
  void OnError(LoadSession& session, std::uint64_t rid, const std::string& code) override;
  void OnEnd(LoadSession& session, const CloseInfo& info) override;

 private:
  struct RunState {
    RunState(const LoadPace& pace, std::size_t number, std::size_t sessions);

    const LoadPace pace;
    const std::string prefix;  // of this run's texts
    const Clock::time_point start = Clock::now();
    DeliveryAccount account;
    Clock::time_point last_delivery = start;
    std::unique_ptr<LoadResult> result = std::make_unique<LoadResult>();
  };

  void At(Clock::time_point when, std::function<void()> work);
  void OpenMore();
  bool SendingIsOver() const;
  void SendDue();
  void SendNext(Clock::time_point intended);
  void AfterProgress(DeliveryAccount::Number number);
  std::optional<DeliveryAccount::Number> NumberIn(std::string_view text) const;
  std::size_t NodeOf(std::size_t session) const { return session % options_.nodes.size(); }
  void CountRelayCalls(std::size_t sender);

  ClientLoop& loop_;
  const LoadOptions options_;
  const std::string room_;
  std::vector<std::size_t> members_on_;  // by node
  std::vector<std::unique_ptr<LoadSession>> sessions_;
  std::vector<ClientLoop::TimerId> timers_;  // fired ones too: cancelling those does nothing
  std::size_t joined_ = 0;
  std::size_t ended_ = 0;
  std::string last_error_;
  std::size_t runs_ = 0;
  std::unique_ptr<RunState> run_;  // while one goes on
  std::string text_;
};

}  // namespace minichat::loadtest
