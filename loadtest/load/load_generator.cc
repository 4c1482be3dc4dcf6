#include "loadtest/load/load_generator.h"

#include <algorithm>
#include <charconv>

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kLate{50};
constexpr milliseconds kJoinAgain{200};
constexpr std::size_t kOpeningAtOnce = 128;  // a connect burst is not what is measured
constexpr std::size_t kRecipientsPerCall = 512;

double Seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

LoadGenerator::RunState::RunState(const LoadPace& run_pace, std::size_t number,
                                  const LoadOptions& options)
    : pace(run_pace),
      prefix("run" + std::to_string(number) + "-"),
      end(start + run_pace.duration),
      accounts(options.rooms, DeliveryAccount(options.members)),
      series(start) {}

LoadGenerator::LoadGenerator(ClientLoop& loop, LoadOptions options, LoadWatch watch)
    : loop_(loop),
      options_(std::move(options)),
      watch_(std::move(watch)),
      all_sessions_(options_.rooms * options_.members) {}

LoadGenerator::~LoadGenerator() {
  for (const ClientLoop::TimerId& timer : timers_) loop_.Cancel(timer);
  loop_.Cancel(send_timer_);
  loop_.Cancel(second_timer_);
}

ClientLoop::TimerId LoadGenerator::At(Clock::time_point when, std::function<void()> work) {
  return timers_.emplace_back(loop_.At(when, std::move(work)));
}

std::string LoadGenerator::RoomName(std::size_t room) const {
  return options_.label + "-room" + (room == 0 ? "" : std::to_string(room));
}

Status LoadGenerator::Connect(Clock::duration limit) {
  OpenMore();
  const auto all = [this] { return joined_ == all_sessions_ || ended_ > 0 || watch_.stops() > 0; };
  if (loop_.RunUntil(all, limit) && joined_ == all_sessions_ && ended_ == 0) return {};
  return Unavailable("load: " + std::to_string(joined_) + " of " + std::to_string(all_sessions_) +
                     " members joined" +
                     (last_error_.empty() ? "" : "; the last answer was " + last_error_));
}

void LoadGenerator::OpenMore() {
  while (sessions_.size() < all_sessions_ && sessions_.size() < joined_ + kOpeningAtOnce) {
    const std::size_t index = sessions_.size();
    const std::size_t room = RoomOfSession(index);
    const Endpoint& node = options_.nodes[NodeOf(room, index % options_.members)];
    sessions_.push_back(std::make_unique<LoadSession>(
        loop_, node, *this, index, options_.label + "-u" + std::to_string(index), RoomName(room)));
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
  run_ = std::make_unique<RunState>(pace, runs_++, options_);
  BeginSending();
  SendAll();
  Drain();
  return EndRun();
}

void LoadGenerator::BeginSending() {
  run_->result->send_start = std::chrono::system_clock::now();
  second_timer_ = loop_.At(run_->start + seconds(1), [this] { EndSecond(); });
  if (run_->pace.in_flight == 0) return SendDue();
  for (std::size_t i = 0; i < run_->pace.in_flight; ++i) SendNext(run_->start);
}

void LoadGenerator::SendAll() {
  const double cpu = OwnCpuSeconds();
  const auto over = [this] {
    if (watch_.stops() > 0 && !run_->result->stopped) {
      run_->result->stopped = true;
      run_->end = Clock::now();
    }
    return SendingIsOver() || ended_ == sessions_.size();
  };
  loop_.RunUntil(over, run_->pace.duration);
  run_->end = std::min(run_->end, Clock::now());
  run_->result->send_end = std::chrono::system_clock::now();
  run_->result->send_seconds = Seconds(Clock::now() - run_->start);
  run_->result->send_cpu_seconds = OwnCpuSeconds() - cpu;
}

void LoadGenerator::Drain() {
  loop_.RunUntil([this] { return NothingLeft(); }, run_->pace.patience);
  run_->result->drain_end = std::chrono::system_clock::now();
}

bool LoadGenerator::NothingLeft() const {
  return AllComplete() || ended_ == sessions_.size() || watch_.stops() > 1;
}

std::unique_ptr<LoadResult> LoadGenerator::EndRun() {
  loop_.Cancel(send_timer_);
  loop_.Cancel(second_timer_);
  if (!run_->series.empty()) run_->series.EndSecond(Clock::now());
  std::unique_ptr<LoadResult> result = std::move(run_->result);
  result->counts = Counts();
  result->seconds = Seconds(run_->last_delivery - run_->start);
  result->peak_cpu_share = run_->series.peak_cpu_share();
  result->series = run_->series.seconds();
  for (const DeliveryAccount& account : run_->accounts) {
    std::vector<std::string> ids = account.AckedIds();
    std::move(ids.begin(), ids.end(), std::back_inserter(result->acked_ids));
  }
  result->closed_connections = ended_;
  if (ended_ > 0) result->close_cause = last_error_;
  run_.reset();
  return result;
}

DeliveryCounts LoadGenerator::Counts() const {
  DeliveryCounts counts;
  for (const DeliveryAccount& account : run_->accounts) counts += account.Counts();
  return counts;
}

bool LoadGenerator::SendingIsOver() const {
  return Clock::now() >= run_->end;
}

bool LoadGenerator::AllComplete() const {
  return std::all_of(run_->accounts.begin(), run_->accounts.end(),
                     [](const DeliveryAccount& account) { return account.AllComplete(); });
}

void LoadGenerator::SendDue() {
  const auto due = [this] {
    const std::chrono::duration<double> time(static_cast<double>(run_->sent) / run_->pace.rate);
    return run_->start + std::chrono::duration_cast<Clock::duration>(time);
  };
  while (due() <= Clock::now() && due() < run_->end) SendNext(due());
  if (due() < run_->end) send_timer_ = loop_.At(due(), [this] { SendDue(); });
}

void LoadGenerator::SendNext(Clock::time_point intended) {
  const Number number = run_->sent++;
  const std::size_t room = RoomOf(number);
  AccountOf(number).Send(intended);
  run_->series.Sent();
  const std::size_t sender = InRoom(number) % std::min(options_.talkers, options_.members);
  text_ = run_->prefix + std::to_string(number);
  const std::string cid = options_.label + "-" + text_;
  text_ += ' ';
  text_.resize(std::max(text_.size(), options_.text_bytes), 'x');
  CountRelayCalls(room, sender);
  if (Clock::now() > intended + kLate) ++run_->result->late_sends;
  sessions_[room * options_.members + sender]->Send(number + 1, cid, text_);
}

void LoadGenerator::EndSecond() {
  const Clock::time_point now = Clock::now();
  const LoadSecond& last = run_->series.EndSecond(now);
  watch_.on_second({last, Counts(), SendingIsOver()});
  const auto passed = std::chrono::floor<seconds>(now - run_->start);
  second_timer_ = loop_.At(run_->start + passed + seconds(1), [this] { EndSecond(); });
}

std::size_t LoadGenerator::MembersOn(std::size_t room, std::size_t node) const {
  const std::size_t nodes = options_.nodes.size();
  const std::size_t first =
      (node + nodes - room % nodes) % nodes;  // the first member that is there
  return first < options_.members ? (options_.members - first + nodes - 1) / nodes : 0;
}

void LoadGenerator::CountRelayCalls(std::size_t room, std::size_t sender) {
  const std::size_t own = NodeOf(room, sender);
  for (std::size_t node = 0; node < options_.nodes.size(); ++node) {
    if (node == own) continue;
    const std::size_t recipients = MembersOn(room, node);
    run_->result->single_calls += recipients;
    run_->result->bulk_calls += (recipients + kRecipientsPerCall - 1) / kRecipientsPerCall;
  }
}

std::optional<LoadGenerator::Number> LoadGenerator::NumberIn(std::string_view text,
                                                             std::size_t room) const {
  if (!text.starts_with(run_->prefix)) return std::nullopt;
  Number number = 0;
  const char* begin = text.data() + run_->prefix.size();
  const auto [end, ec] = std::from_chars(begin, text.data() + text.size(), number);
  if (ec != std::errc() || RoomOf(number) != room) return std::nullopt;
  return number;
}

void LoadGenerator::OnEvent(LoadSession& session, std::uint64_t seq, std::string_view id,
                            std::string_view text) {
  if (run_ == nullptr) return;  // the rest of a run that was given up
  const std::size_t room = RoomOfSession(session.index());
  const auto number = NumberIn(text, room);
  if (!number) return run_->accounts[room].ReceiveForeign();
  DeliveryAccount& account = run_->accounts[room];
  const std::size_t member = session.index() % options_.members;
  if (!account.Receive(member, InRoom(*number), seq, id)) return;
  run_->last_delivery = Clock::now();
  const auto latency = run_->last_delivery - account.IntendedTime(InRoom(*number));
  run_->result->delivery.Add(latency);
  run_->series.Received(latency);
  AfterProgress(*number);
}

void LoadGenerator::OnAck(LoadSession& /*session*/, std::uint64_t rid, std::string_view id,
                          bool duplicate) {
  if (run_ == nullptr) return;
  const Number number = rid - 1;
  if (number >= run_->sent) return AccountOf(number).ReceiveForeign();
  AccountOf(number).Ack(InRoom(number), id, duplicate);
  run_->series.Acked();
  run_->result->ack.Add(Clock::now() - AccountOf(number).IntendedTime(InRoom(number)));
  AfterProgress(number);
}

void LoadGenerator::OnError(LoadSession& session, std::uint64_t rid, const std::string& code) {
  last_error_ = code;
  if (!session.joined()) {
    At(Clock::now() + kJoinAgain, [&session] { session.Join(); });
  } else if (run_ != nullptr && rid > 0 && rid <= run_->sent) {
    AccountOf(rid - 1).Refuse(InRoom(rid - 1), code);
    run_->result->refusal.Add(Clock::now() - AccountOf(rid - 1).IntendedTime(InRoom(rid - 1)));
    AfterProgress(rid - 1);
  }
}

void LoadGenerator::AfterProgress(Number number) {
  if (run_->pace.in_flight == 0 || SendingIsOver()) return;
  if (AccountOf(number).Complete(InRoom(number))) SendNext(Clock::now());
}

void LoadGenerator::Close() {
  for (const auto& session : sessions_) session->Close();
  const auto all = [this] { return ended_ == sessions_.size(); };
  loop_.RunUntil(all, seconds(2), milliseconds(10));
}

}  // namespace minichat::loadtest
