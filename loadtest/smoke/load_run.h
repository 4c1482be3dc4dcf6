#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "loadtest/client/chat_session.h"
#include "loadtest/client/cluster_file.h"
#include "loadtest/smoke/load_plan.h"

namespace minichat::loadtest {

// One message of the plan, as its sender saw it.
struct SentMessage {
  bool sent = false;
  bool acked = false;
  std::string id;
  Seq seq = 0;
};

// In milliseconds.
struct Latency {
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

// Carries out a LoadPlan against a cluster: opens the sessions, sends at the intended times whether
// or not the answers come (an open model), and keeps every answer and every event.
//
// Lifetime:  the loop, the plan and the cluster outlive it.
// Threading: confined to the loop's thread.
class LoadRun {
 public:
  LoadRun(ClientLoop& loop, const Cluster& cluster, const LoadPlan& plan);
  ~LoadRun();
  LoadRun(const LoadRun&) = delete;
  LoadRun& operator=(const LoadRun&) = delete;

  // Opens and joins all sessions.
  Status Connect(Clock::duration limit);
  // Sends everything; returns when all that was acknowledged is with every member, or patience
  // ends. `go_on` is asked about once a second; its false ends it too.
  void Send(
      Clock::duration patience, const std::function<bool()>& go_on = [] { return true; });
  void Close();

  const std::vector<SentMessage>& messages() const { return messages_; }
  const RoomView& ViewOf(std::size_t room, std::size_t member);
  std::size_t sent() const { return sent_; }
  std::size_t acked() const { return acked_; }
  std::size_t delivered() const { return delivered_; }
  // Answers that were no ack, by code.
  const std::map<std::string, std::size_t>& errors() const { return errors_; }
  std::size_t closed_sessions() const;
  // Both from the intended time of sending.
  Latency AckLatency() const { return Summarize(ack_ms_); }
  Latency DeliveryLatency() const { return Summarize(delivery_ms_); }
  // Sends that the generator itself made over 50 ms late: with many, the latencies mean little.
  std::size_t late_sends() const { return late_sends_; }

 private:
  ChatSession& SessionOf(std::size_t room, std::size_t member) {
    return *sessions_[room * plan_.shape().members + member];
  }
  void At(Clock::time_point when, std::function<void()> work);
  void OpenSession(std::size_t room, std::size_t member);
  void Join(std::size_t session);
  void SendDue();
  void SendOne(std::size_t message);
  void OnSendReply(std::size_t message, const Reply& reply);
  void OnDelivery(const Delivery& delivery);
  bool Complete() const;
  double SinceIntended(std::size_t message) const;
  static Latency Summarize(std::vector<double> samples);

  ClientLoop& loop_;
  const Cluster& cluster_;
  const LoadPlan& plan_;
  std::vector<std::unique_ptr<ChatSession>> sessions_;
  std::string join_error_;
  std::vector<ClientLoop::TimerId> timers_;  // fired ones too: cancelling those does nothing
  std::vector<SentMessage> messages_;
  Clock::time_point start_;
  std::size_t sent_ = 0;
  std::size_t acked_ = 0;
  std::size_t answered_ = 0;
  std::size_t delivered_ = 0;
  std::size_t late_sends_ = 0;
  std::map<std::string, std::size_t> errors_;
  std::vector<double> ack_ms_;
  std::vector<double> delivery_ms_;
};

}  // namespace minichat::loadtest
