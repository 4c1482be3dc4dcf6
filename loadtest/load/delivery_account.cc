#include "loadtest/load/delivery_account.h"

#include <algorithm>

namespace minichat::loadtest {

bool DeliveryCounts::exact() const {
  return Findings().empty();
}

std::string DeliveryCounts::Findings(Order order) const {
  std::string text;
  const auto note = [&text](std::uint64_t count, const std::string& what) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " " + what;
  };
  std::uint64_t refused = 0;
  for (const auto& [code, count] : errors) {
    note(count, code);
    refused += count;
  }
  note(sent - acked - refused, "without an answer");
  note(duplicate_acks, "acked as duplicates");
  note(answered_twice, "answered twice");
  note(lost, "lost");
  note(repeated, "repeated");
  if (order == Order::kMustHold) note(misordered, "misordered");
  note(wrong_id, "with a wrong id");
  note(foreign, "foreign");
  return text;
}

DeliveryCounts& DeliveryCounts::operator+=(const DeliveryCounts& other) {
  sent += other.sent;
  acked += other.acked;
  duplicate_acks += other.duplicate_acks;
  answered_twice += other.answered_twice;
  for (const auto& [code, count] : other.errors) errors[code] += count;
  expected += other.expected;
  received += other.received;
  repeated += other.repeated;
  misordered += other.misordered;
  wrong_id += other.wrong_id;
  foreign += other.foreign;
  lost += other.lost;
  return *this;
}

DeliveryAccount::DeliveryAccount(std::size_t sessions) : sessions_(sessions) {}

DeliveryAccount::Number DeliveryAccount::Send(Clock::time_point intended) {
  messages_.emplace_back().intended = intended;
  ++counts_.sent;
  return messages_.size() - 1;
}

void DeliveryAccount::Ack(Number number, std::string_view id, bool duplicate) {
  if (!NoteAnswer(number, Answer::kAck)) return;
  ++counts_.acked;
  if (duplicate) ++counts_.duplicate_acks;
  NoteId(messages_[number], id);
}

void DeliveryAccount::Refuse(Number number, const std::string& code) {
  if (NoteAnswer(number, Answer::kError)) ++counts_.errors[code];
}

bool DeliveryAccount::NoteAnswer(Number number, Answer answer) {
  if (number >= messages_.size()) {
    ReceiveForeign();
    return false;
  }
  Message& message = messages_[number];
  if (message.answer != Answer::kNone) {
    ++counts_.answered_twice;
    return false;
  }
  message.answer = answer;
  if (Complete(message)) ++complete_;
  return true;
}

void DeliveryAccount::NoteId(Message& message, std::string_view id) {
  if (!message.has_id && id.size() == kIdLength) {
    std::copy(id.begin(), id.end(), message.id.begin());
    message.has_id = true;
  } else if (!std::equal(id.begin(), id.end(), message.id.begin(), message.id.end())) {
    ++counts_.wrong_id;
  }
}

bool DeliveryAccount::Receive(std::size_t session, Number number, std::uint64_t seq,
                              std::string_view id) {
  if (number >= messages_.size()) {
    ReceiveForeign();
    return false;
  }
  Session& receiver = sessions_.at(session);
  if (receiver.has.size() <= number) receiver.has.resize(number + 1);
  if (receiver.has[number]) {
    ++counts_.repeated;
    return false;
  }
  receiver.has[number] = true;
  if (seq <= receiver.last_seq) ++counts_.misordered;
  receiver.last_seq = seq;
  Message& message = messages_[number];
  NoteId(message, id);
  ++message.received;
  ++counts_.received;
  if (Complete(message)) ++complete_;
  return true;
}

bool DeliveryAccount::Complete(const Message& message) const {
  if (message.answer == Answer::kError) return true;
  return message.answer == Answer::kAck && message.received == sessions_.size();
}

bool DeliveryAccount::Complete(Number number) const {
  return Complete(messages_.at(number));
}

DeliveryCounts DeliveryAccount::Counts() const {
  DeliveryCounts counts = counts_;
  counts.expected = counts.acked * sessions_.size();
  for (const Message& message : messages_) {
    if (message.answer == Answer::kAck) counts.lost += sessions_.size() - message.received;
  }
  return counts;
}

std::vector<std::string> DeliveryAccount::AckedIds() const {
  std::vector<std::string> ids;
  for (const Message& message : messages_) {
    if (message.answer == Answer::kAck) ids.emplace_back(message.id.begin(), message.id.end());
  }
  return ids;
}

}  // namespace minichat::loadtest
