#include "loadtest/load/load_generator.h"

#include <algorithm>
#include <charconv>

namespace minichat::loadtest {
namespace {

constexpr std::chrono::milliseconds kLate{50};
constexpr std::chrono::milliseconds kJoinAgain{200};
constexpr std::size_t kOpeningAtOnce = 128;  // a connect burst is not what is measured
constexpr std::size_t kRecipientsPerCall = 512;

}  // namespace

LoadGenerator::RunState::RunState(const LoadPace& run_pace, std::size_t number,
                                  std::size_t sessions)
    : pace(run_pace), prefix("run" + std::to_string(number) + "-"), account(sessions) {}

LoadGenerator::LoadGenerator(ClientLoop& loop, LoadOptions options)
    : loop_(loop),
      options_(std::move(options)),
      room_(options_.label + "-room"),
      members_on_(options_.nodes.size()) {
  for (std::size_t i = 0; i < options_.members; ++i) ++members_on_[NodeOf(i)];
}

LoadGenerator::~LoadGenerator() {
  for (const ClientLoop::TimerId& timer : timers_) loop_.Cancel(timer);
}

void LoadGenerator::At(Clock::time_point when, std::function<void()> work) {
  timers_.push_back(loop_.At(when, std::move(work)));
}

Status LoadGenerator::Connect(Clock::duration limit) {
  OpenMore();
  const auto all = [this] { return joined_ == options_.members || ended_ > 0; };
  if (loop_.RunUntil(all, limit) && ended_ == 0) return {};
  return Unavailable("load: " + std::to_string(joined_) + " of " +
                     std::to_string(options_.members) + " members joined" +
                     (last_error_.empty() ? "" : "; the last answer was " + last_error_));
}

void LoadGenerator::OpenMore() {
  while (sessions_.size() < options_.members && sessions_.size() < joined_ + kOpeningAtOnce) {
    const std::size_t index = sessions_.size();
    sessions_.push_back(
        std::make_unique<LoadSession>(loop_, options_.nodes[NodeOf(index)], *this, index,
                                      options_.label + "-u" + std::to_string(index), room_));
  }
}

void LoadGenerator::OnJoined(LoadSession& /*session*/) {
  ++joined_;
  OpenMore();
}

void LoadGenerator::OnEnd(LoadSession& /*session*/, const CloseInfo& info) {
  ++ended_;
  last_error_ = info.error.empty() ? std::to_string(info.code) : info.error;
}

std::unique_ptr<LoadResult> LoadGenerator::Run(const LoadPace& pace) {
  run_ = std::make_unique<RunState>(pace, runs_++, sessions_.size());
  if (pace.in_flight > 0) {
    for (std::size_t i = 0; i < pace.in_flight; ++i) SendNext(run_->start);
  } else {
    SendDue();
  }
  const auto over = [this] { return SendingIsOver() && run_->account.AllComplete(); };
  loop_.RunUntil(over, pace.duration + pace.patience);
  std::unique_ptr<LoadResult> result = std::move(run_->result);
  result->counts = run_->account.Counts();
  result->seconds = std::chrono::duration<double>(run_->last_delivery - run_->start).count();
  run_.reset();
  return result;
}

bool LoadGenerator::SendingIsOver() const {
  return Clock::now() >= run_->start + run_->pace.duration;
}

void LoadGenerator::SendDue() {
  if (run_ == nullptr) return;
  const auto due = [this] {
    const double seconds = static_cast<double>(run_->account.messages()) / run_->pace.rate;
    return run_->start +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  const Clock::time_point end = run_->start + run_->pace.duration;
  while (due() <= Clock::now() && due() < end) SendNext(due());
  if (due() < end) At(due(), [this] { SendDue(); });
}

void LoadGenerator::SendNext(Clock::time_point intended) {
  const DeliveryAccount::Number number = run_->account.Send(intended);
  const std::size_t sender = number % std::min(options_.talkers, sessions_.size());
  text_ = run_->prefix + std::to_string(number);
  const std::string cid = options_.label + "-" + text_;
  text_ += ' ';
  text_.resize(std::max(text_.size(), options_.text_bytes), 'x');
  CountRelayCalls(sender);
  if (Clock::now() > intended + kLate) ++run_->result->late_sends;
  sessions_[sender]->Send(number + 1, cid, text_);
}

void LoadGenerator::CountRelayCalls(std::size_t sender) {
  const std::size_t own = NodeOf(sender);
  for (std::size_t node = 0; node < members_on_.size(); ++node) {
    if (node == own) continue;
    run_->result->single_calls += members_on_[node];
    run_->result->bulk_calls += (members_on_[node] + kRecipientsPerCall - 1) / kRecipientsPerCall;
  }
}

std::optional<DeliveryAccount::Number> LoadGenerator::NumberIn(std::string_view text) const {
  if (!text.starts_with(run_->prefix)) return std::nullopt;
  DeliveryAccount::Number number = 0;
  const char* begin = text.data() + run_->prefix.size();
  const auto [end, ec] = std::from_chars(begin, text.data() + text.size(), number);
  if (ec != std::errc()) return std::nullopt;
  return number;
}

void LoadGenerator::OnEvent(LoadSession& session, std::uint64_t seq, std::string_view id,
                            std::string_view text) {
  if (run_ == nullptr) return;  // the rest of a run that was given up
  const auto number = NumberIn(text);
  if (!number) return run_->account.ReceiveForeign();
  if (!run_->account.Receive(session.index(), *number, seq, id)) return;
  run_->last_delivery = Clock::now();
  run_->result->delivery.Add(run_->last_delivery - run_->account.IntendedTime(*number));
  AfterProgress(*number);
}

void LoadGenerator::OnAck(LoadSession& /*session*/, std::uint64_t rid, std::string_view id,
                          bool duplicate) {
  if (run_ == nullptr) return;
  const DeliveryAccount::Number number = rid - 1;
  run_->account.Ack(number, id, duplicate);
  run_->result->ack.Add(Clock::now() - run_->account.IntendedTime(number));
  AfterProgress(number);
}

void LoadGenerator::OnError(LoadSession& session, std::uint64_t rid, const std::string& code) {
  last_error_ = code;
  if (!session.joined()) {
    At(Clock::now() + kJoinAgain, [&session] { session.Join(); });
  } else if (run_ != nullptr && rid > 0) {
    run_->account.Refuse(rid - 1, code);
    AfterProgress(rid - 1);
  }
}

void LoadGenerator::AfterProgress(DeliveryAccount::Number number) {
  if (run_->pace.in_flight == 0 || SendingIsOver()) return;
  if (run_->account.Complete(number)) SendNext(Clock::now());
}

void LoadGenerator::Close() {
  for (const auto& session : sessions_) session->Close();
  const auto all = [this] { return ended_ == sessions_.size(); };
  loop_.RunUntil(all, std::chrono::seconds(2), std::chrono::milliseconds(10));
}

}  // namespace minichat::loadtest
