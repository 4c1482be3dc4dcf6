#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "loadtest/client/client_loop.h"

namespace minichat::loadtest {

// Is a message at or below the seq before it at one session a finding?
enum class Order { kMustHold, kMayBreak };

// The totals of a run. With nothing lost, received = expected = acked × sessions.
struct DeliveryCounts {
  std::uint64_t sent = 0;
  std::uint64_t acked = 0;
  std::uint64_t duplicate_acks = 0;  // "duplicate":true for a message sent once
  std::uint64_t answered_twice = 0;
  std::map<std::string, std::uint64_t> errors;  // answers that were no ack, by code
  std::uint64_t expected = 0;                   // each acked one once per session
  std::uint64_t received = 0;                   // each message once per session
  std::uint64_t repeated = 0;                   // again at the same session
  std::uint64_t misordered = 0;                 // at or below the seq before, at one session
  std::uint64_t wrong_id = 0;                   // another id than the message has elsewhere
  std::uint64_t foreign = 0;                    // events that are no message of this run
  std::uint64_t lost = 0;                       // acked, and not received, per session

  // Every message was acked, and is with every session once, in order.
  bool exact() const;
  // What is not; empty when exact.
  std::string Findings(Order order = Order::kMustHold) const;
  // Of several rooms.
  DeliveryCounts& operator+=(const DeliveryCounts& other);
};

// Exact account of every message of a run at every session of one room, by number and id.
//
// Threading: thread-compatible.
// Limits:    48 bytes a message and one bit a message and session.
class DeliveryAccount {
 public:
  using Number = std::size_t;  // of a message, from 0 in the order of sending

  explicit DeliveryAccount(std::size_t sessions);

  // A message is about to be sent, or should have been at `intended`.
  Number Send(Clock::time_point intended);
  void Ack(Number number, std::string_view id, bool duplicate);
  void Refuse(Number number, const std::string& code);
  // One event at one session. True when it is new there.
  bool Receive(std::size_t session, Number number, std::uint64_t seq, std::string_view id);
  void ReceiveForeign() { ++counts_.foreign; }

  // Has its answer, and unless that was a refusal, is with every session.
  bool Complete(Number number) const;
  bool AllComplete() const { return complete_ == messages_.size(); }
  std::size_t messages() const { return messages_.size(); }
  Clock::time_point IntendedTime(Number number) const { return messages_[number].intended; }
  DeliveryCounts Counts() const;
  // Ids of what was acked, in the order of sending.
  std::vector<std::string> AckedIds() const;

 private:
  static constexpr std::size_t kIdLength = 36;  // a UUID as text
  enum class Answer : std::uint8_t { kNone, kAck, kError };

  struct Message {
    Clock::time_point intended;
    std::uint32_t received = 0;
    Answer answer = Answer::kNone;
    bool has_id = false;
    std::array<char, kIdLength> id{};
  };
  struct Session {
    std::vector<bool> has;  // by message
    std::uint64_t last_seq = 0;
  };

  void NoteId(Message& message, std::string_view id);
  // False: it had an answer already, or there is no such message.
  bool NoteAnswer(Number number, Answer answer);
  bool Complete(const Message& message) const;

  std::vector<Message> messages_;
  std::vector<Session> sessions_;
  std::size_t complete_ = 0;
  DeliveryCounts counts_;
};

}  // namespace minichat::loadtest
