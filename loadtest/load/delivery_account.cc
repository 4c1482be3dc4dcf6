#include "loadtest/load/delivery_account.h"

#include <algorithm>

namespace minichat::loadtest {

bool DeliveryCounts::exact() const {
  return Findings().empty();
}

std::string DeliveryCounts::Findings() const {
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
  note(lost, "lost");
  note(repeated, "repeated");
  note(misordered, "misordered");
  note(wrong_id, "with a wrong id");
  note(foreign, "foreign");
  return text;
}

DeliveryAccount::DeliveryAccount(std::size_t sessions) : sessions_(sessions) {}

DeliveryAccount::Number DeliveryAccount::Send(Clock::time_point intended) {
  messages_.emplace_back().intended = intended;
  ++counts_.sent;
  return messages_.size() - 1;
}

void DeliveryAccount::Ack(Number number, std::string_view id, bool duplicate) {
  Message& message = messages_.at(number);
  ++counts_.acked;
  if (duplicate) ++counts_.duplicate_acks;
  NoteId(message, id);
  NoteAnswer(message, Answer::kAck);
}

void DeliveryAccount::Refuse(Number number, const std::string& code) {
  ++counts_.errors[code];
  NoteAnswer(messages_.at(number), Answer::kError);
}

void DeliveryAccount::NoteAnswer(Message& message, Answer answer) {
  const bool before = Complete(message);
  message.answer = answer;
  if (!before && Complete(message)) ++complete_;
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
  for (const Message& message : messages_) {
    if (message.answer == Answer::kAck) counts.lost += sessions_.size() - message.received;
  }
  return counts;
}

}  // namespace minichat::loadtest
