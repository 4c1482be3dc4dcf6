#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loadtest/live/live_board.h"
#include "loadtest/live/seq_account.h"
#include "loadtest/load/load_session.h"

namespace minichat::loadtest {

struct LiveLoadOptions {
  std::string label;  // of the room and the users
  std::vector<Endpoint> nodes;
  std::size_t text_bytes = 200;
};

// Load on one room whose settings change while it goes on: members come and go, the rate follows at
// once. Open model, as LoadGenerator; what is lost is told by the room's numbers.
//
// Lifetime:  the loop and the board outlive it.
// Threading: confined to the loop's thread; Run() blocks.
// Errors:    members whose connection ends come back by themselves; the counts tell.
class LiveLoad final : private LoadObserver {
 public:
  LiveLoad(ClientLoop& loop, LiveLoadOptions options, LiveBoard& board);
  ~LiveLoad() override;

  // Until `over()`; then the members leave.
  void Run(const std::function<bool()>& over);
  const LiveCounts& counts() const { return counts_; }

 private:
  using Number = std::uint64_t;
  static constexpr std::size_t kRemembered = std::size_t{1} << 18;  // messages under way
  static constexpr std::size_t kWindow = 5;                         // seconds of the latencies

  struct Member {
    std::unique_ptr<LoadSession> session;
    SeqAccount account;
    Clock::time_point again;                      // when to come back, once it has ended
    std::optional<Clock::time_point> join_again;  // when a join was refused
  };
  struct Leaving {
    std::unique_ptr<LoadSession> session;
    Clock::time_point until;  // a node that does not answer the close is not waited for
  };

  void OnJoined(LoadSession& session) override;
  void OnEvent(LoadSession& session, std::uint64_t seq, std::string_view id,
               std::string_view text) override;
  void OnAck(LoadSession& session, std::uint64_t rid, std::string_view id, bool duplicate) override;
  void OnError(LoadSession& session, std::uint64_t rid, const std::string& code) override;
  void OnEnd(LoadSession& session, const CloseInfo& info) override;

  void Tick();
  void TakeSettings();
  void AdmitMembers();
  void Revive(std::size_t index);
  void Open(std::size_t index);
  void DismissMembers();
  void Retire(Member& member);
  // Null: it has left.
  Member* MemberOf(const LoadSession& session);
  void Pace();
  void SendDue();
  LoadSession* NextTalker();
  void SendOne(LoadSession& talker, Clock::time_point intended);
  void NoteLatency(std::string_view text);
  void EndSecond();
  void NoteWhoIsBehind();
  LiveLatency WindowLatency() const;

  ClientLoop& loop_;
  const LiveLoadOptions options_;
  LiveBoard& board_;
  LiveSettings settings_;
  std::vector<Member> members_;
  std::vector<Leaving> leaving_;
  ClientLoop::TimerId tick_timer_, second_timer_, send_timer_;

  Number sent_ = 0;
  std::vector<Clock::time_point> intended_;  // of the last kRemembered messages
  Clock::time_point paced_since_;
  std::uint64_t paced_ = 0;  // messages since then
  std::size_t next_talker_ = 0;
  std::string text_;

  LiveCounts counts_;
  std::uint64_t lost_by_retired_ = 0;
  LoadSeries series_;
  std::array<LatencyHistogram, kWindow> window_;  // one a second, in turn
  std::size_t window_at_ = 0;
  std::array<std::uint64_t, 3> heads_{};  // the highest number seen, by second, in turn
  std::size_t head_at_ = 0;
};

}  // namespace minichat::loadtest
