#include "loadtest/live/live_load.h"

#include <algorithm>
#include <charconv>

namespace minichat::loadtest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick{20};
constexpr milliseconds kLate{50};
constexpr milliseconds kJoinAgain{200};
constexpr seconds kComeBack{1};
constexpr seconds kLeaveLimit{5};
constexpr seconds kMostCatchUp{10};  // after a longer stall, as when the machine slept, it goes on
constexpr std::size_t kOpeningAtOnce = 128;
constexpr std::size_t kSecondsKept = 2;
constexpr std::string_view kPrefix = "live-";

}  // namespace

LiveLoad::LiveLoad(ClientLoop& loop, LiveLoadOptions options, LiveBoard& board)
    : loop_(loop),
      options_(std::move(options)),
      board_(board),
      settings_(board.settings()),
      intended_(kRemembered),
      series_(Clock::now(), kSecondsKept) {}

LiveLoad::~LiveLoad() {
  for (const ClientLoop::TimerId& timer : {tick_timer_, second_timer_, send_timer_}) {
    loop_.Cancel(timer);
  }
}

void LiveLoad::Run(const std::function<bool()>& over) {
  Tick();
  second_timer_ = loop_.At(Clock::now() + seconds(1), [this] { EndSecond(); });
  Pace();
  while (!loop_.RunUntil(over, std::chrono::hours(1), milliseconds(10))) {
  }
  loop_.Cancel(send_timer_);
  loop_.Cancel(tick_timer_);
  settings_.members = 0;
  DismissMembers();
  const auto gone = [this] {
    return std::all_of(leaving_.begin(), leaving_.end(),
                       [](const Leaving& leaving) { return leaving.session->ended(); });
  };
  loop_.RunUntil(gone, seconds(2), milliseconds(10));
  EndSecond();
  loop_.Cancel(second_timer_);
}

void LiveLoad::Tick() {
  TakeSettings();
  DismissMembers();
  AdmitMembers();
  tick_timer_ = loop_.At(Clock::now() + kTick, [this] { Tick(); });
}

void LiveLoad::TakeSettings() {
  const LiveSettings wanted = board_.settings();
  if (wanted == settings_) return;
  const bool paced_anew = wanted.rate != settings_.rate || wanted.running != settings_.running;
  settings_ = wanted;
  if (paced_anew) Pace();
}

void LiveLoad::AdmitMembers() {
  for (std::size_t i = 0; i < members_.size(); ++i) Revive(i);
  while (members_.size() < settings_.members && members_.size() < counts_.joined + kOpeningAtOnce) {
    members_.emplace_back();
    Open(members_.size() - 1);
  }
}

void LiveLoad::Revive(std::size_t index) {
  Member& member = members_[index];
  const Clock::time_point now = Clock::now();
  if (member.session->ended()) {
    if (now >= member.again) Open(index);
  } else if (member.join_again && now >= *member.join_again) {
    member.join_again.reset();
    member.session->Join();
  }
}

void LiveLoad::Open(std::size_t index) {
  Retire(members_[index]);
  LoadObserver& observer = *this;
  members_[index].session = std::make_unique<LoadSession>(
      loop_, options_.nodes[index % options_.nodes.size()], observer, index,
      options_.label + "-u" + std::to_string(index), options_.label + "-room");
}

// What it lacked stays lost.
void LiveLoad::Retire(Member& member) {
  if (member.session == nullptr) return;
  lost_by_retired_ += member.account.missing();
  member.account = SeqAccount();
  member.join_again.reset();
  leaving_.push_back({std::move(member.session), Clock::now() + kLeaveLimit});
}

void LiveLoad::DismissMembers() {
  const Clock::time_point now = Clock::now();
  std::erase_if(leaving_, [&](const Leaving& leaving) {
    return leaving.session->ended() || now >= leaving.until;
  });
  while (members_.size() > settings_.members) {
    LoadSession& session = *members_.back().session;
    if (session.joined() && !session.ended()) --counts_.joined;
    session.Close();
    Retire(members_.back());
    members_.pop_back();
  }
}

LiveLoad::Member* LiveLoad::MemberOf(const LoadSession& session) {
  const std::size_t index = session.index();
  if (index >= members_.size() || members_[index].session.get() != &session) return nullptr;
  return &members_[index];
}

void LiveLoad::OnJoined(LoadSession& session) {
  Member* member = MemberOf(session);
  if (member == nullptr) return session.Close();  // it was to leave before it was in
  member->account = SeqAccount(session.joined_at());
  ++counts_.joined;
}

void LiveLoad::OnEnd(LoadSession& session, const CloseInfo& /*info*/) {
  Member* member = MemberOf(session);
  if (member == nullptr) return;
  member->again = Clock::now() + kComeBack;
  if (!session.joined()) return;
  --counts_.joined;
  ++counts_.broken_connections;
}

void LiveLoad::OnEvent(LoadSession& session, std::uint64_t seq, std::string_view /*id*/,
                       std::string_view text) {
  Member* member = MemberOf(session);
  if (member == nullptr) return;
  switch (member->account.Receive(seq)) {
    case SeqAccount::Arrival::kRepeated:
      ++counts_.repeated;
      return;
    case SeqAccount::Arrival::kMisordered:
      ++counts_.misordered;
      break;
    case SeqAccount::Arrival::kNext:
      break;
  }
  ++counts_.received;
  heads_[head_at_] = std::max(heads_[head_at_], seq);
  NoteLatency(text);
}

void LiveLoad::NoteLatency(std::string_view text) {
  Number number = 0;
  if (!text.starts_with(kPrefix)) return;
  const char* begin = text.data() + kPrefix.size();
  const auto [end, ec] = std::from_chars(begin, text.data() + text.size(), number);
  if (ec != std::errc() || number >= sent_ || number + kRemembered < sent_) return;
  const auto latency = Clock::now() - intended_[number % kRemembered];
  series_.Received(latency);
  window_[window_at_].Add(latency);
}

void LiveLoad::OnAck(LoadSession& /*session*/, std::uint64_t /*rid*/, std::string_view /*id*/,
                     bool /*duplicate*/) {
  ++counts_.acked;
  series_.Acked();
}

void LiveLoad::OnError(LoadSession& session, std::uint64_t rid, const std::string& code) {
  if (session.joined()) {
    if (rid > 0) ++counts_.errors[code];
  } else if (Member* member = MemberOf(session); member != nullptr) {
    member->join_again = Clock::now() + kJoinAgain;
  }
}

void LiveLoad::Pace() {
  loop_.Cancel(send_timer_);
  paced_since_ = Clock::now();
  paced_ = 0;
  SendDue();
}

void LiveLoad::SendDue() {
  if (!settings_.running) return;
  const auto due = [this] {
    const std::chrono::duration<double> time(static_cast<double>(paced_) / settings_.rate);
    return paced_since_ + std::chrono::duration_cast<Clock::duration>(time);
  };
  if (Clock::now() - due() > kMostCatchUp) return Pace();
  while (due() <= Clock::now()) {
    LoadSession* talker = NextTalker();
    if (talker != nullptr) SendOne(*talker, due());
    ++paced_;  // without a talker nobody could have sent it
  }
  send_timer_ = loop_.At(due(), [this] { SendDue(); });
}

LoadSession* LiveLoad::NextTalker() {
  const std::size_t talkers = std::min(settings_.talkers, members_.size());
  for (std::size_t tried = 0; tried < talkers; ++tried) {
    LoadSession& talker = *members_[next_talker_++ % talkers].session;
    if (talker.joined() && !talker.ended()) return &talker;
  }
  return nullptr;
}

void LiveLoad::SendOne(LoadSession& talker, Clock::time_point intended) {
  const Number number = sent_++;
  intended_[number % kRemembered] = intended;
  text_ = kPrefix;
  text_ += std::to_string(number);
  const std::string cid = options_.label + "-" + text_;
  text_ += ' ';
  text_.resize(std::max(text_.size(), options_.text_bytes), 'x');
  ++counts_.sent;
  series_.Sent();
  if (Clock::now() > intended + kLate) ++counts_.late_sends;
  talker.Send(number + 1, cid, text_);
}

void LiveLoad::EndSecond() {
  NoteWhoIsBehind();
  counts_.lost = lost_by_retired_;
  for (const Member& member : members_) counts_.lost += member.account.missing();
  board_.AddSecond(series_.EndSecond(Clock::now()), counts_, WindowLatency());
  window_at_ = (window_at_ + 1) % kWindow;
  window_[window_at_] = LatencyHistogram();
  // After a stall the missed seconds are not made up for.
  Clock::time_point next = second_timer_.first + seconds(1);
  if (next <= Clock::now()) next = Clock::now() + seconds(1);
  second_timer_ = loop_.At(next, [this] { EndSecond(); });
}

// Members that lack what another had before the last two seconds.
void LiveLoad::NoteWhoIsBehind() {
  const std::size_t oldest = (head_at_ + 1) % heads_.size();
  counts_.behind = static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(), [&](const Member& member) {
        return member.session->joined() && !member.session->ended() &&
               member.account.last() < heads_[oldest];
      }));
  heads_[oldest] = heads_[head_at_];
  head_at_ = oldest;
}

LiveLatency LiveLoad::WindowLatency() const {
  LatencyHistogram all;
  for (const LatencyHistogram& one : window_) all.Add(one);
  return {all.AtMs(0.50), all.AtMs(0.95), all.AtMs(0.99), all.AtMs(1)};
}

}  // namespace minichat::loadtest
