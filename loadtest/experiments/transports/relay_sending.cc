#include "loadtest/experiments/transports/relay_sending.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "loadtest/experiments/transports/http_client.h"
#include "loadtest/experiments/transports/relay_account.h"
#include "loadtest/experiments/transports/step.h"
#include "relay/grpc_relay.h"
#include "server/base/json_writer.h"
#include "server/base/metrics.h"
#include "tests/support/core_thread.h"

namespace minichat::transports {
namespace {

constexpr char kRoom[] = "general";
constexpr std::size_t kTextBytes = 200;
// Above what a message takes on any machine: the product's own bounds must not cut a slow run
// short.
constexpr std::chrono::seconds kPatience{4};
constexpr std::size_t kManyCalls = 100'000;

// The frame that clients get.
std::string EncodeFrame(std::uint64_t seq) {
  return JsonObject()
      .Add("op", "message")
      .Add("room", kRoom)
      .Add("seq", seq)
      .Add("id", "00000000-0000-8000-8000-000000000000")
      .Add("from", "ann")
      .Add("ts", std::int64_t{1'790'000'000'000})
      .Add("text", std::string(kTextBytes, 'x'))
      .Take();
}

core::EventPtr MakeEvent(std::uint64_t seq) {
  auto event = std::make_shared<core::Event>();
  event->room = core::RoomId(kRoom);
  event->place = {seq, seq - 1, 1};
  event->encoded = std::make_shared<const std::string>(EncodeFrame(seq));
  return event;
}

std::vector<core::SessionId> AllSessions() {
  std::vector<core::SessionId> sessions;
  for (std::size_t i = 0; i < kRecipients; ++i) sessions.emplace_back(SessionName(i));
  return sessions;
}

class GrpcSending final : public RelaySending {
 public:
  GrpcSending(relay::RelayMode mode, std::uint16_t port) : mode_(mode) {
    relay::GrpcRelayOptions options;
    options.cluster_secret = kSecret;
    options.mode = mode;
    options.longest_call = kPatience;
    options.max_calls_per_peer = kManyCalls;
    core_.Run([&] {
      relay_ = std::make_unique<relay::GrpcRelay>(options, core_.scheduler, metrics_);
      relay_->SetPeers({{peer_, incarnation_, "127.0.0.1:" + std::to_string(port)}});
    });
  }
  ~GrpcSending() override {
    core_.Run([this] { relay_.reset(); });
  }

  void Send(std::uint64_t seq, Callback<std::size_t> done) override {
    core_.scheduler.Post([this, seq, done = std::move(done)]() mutable {
      relay_->Deliver(peer_, incarnation_, MakeEvent(seq), sessions_,
                      Deadline::After(core_.scheduler, kPatience),
                      [done = std::move(done)](const std::vector<core::RelayResult>& results) {
                        done(static_cast<std::size_t>(std::count(results.begin(), results.end(),
                                                                 core::RelayResult::kQueued)));
                      });
    });
  }

  std::uint64_t Calls() override {
    return Metric("minichat_relay_calls_total{code=\"OK\",mode=\"" +
                  std::string(relay::ToString(mode_)) + "\",peer=\"" + kPeer + "\"}");
  }
  std::uint64_t StreamWrites() override {
    return Metric(std::string("minichat_relay_stream_writes_total{peer=\"") + kPeer + "\"}");
  }

 private:
  std::uint64_t Metric(const std::string& series) {
    return static_cast<std::uint64_t>(tests::MetricValue(metrics_, series));
  }

  const relay::RelayMode mode_;
  const core::NodeName peer_{kPeer};
  const core::Incarnation incarnation_{kPeerIncarnation};
  const std::vector<core::SessionId> sessions_ = AllSessions();
  MetricsRegistry metrics_;
  tests::CoreThread core_;
  std::unique_ptr<relay::GrpcRelay> relay_;
};

// A message under way over HTTP; of the pool's thread, once its posts are made.
struct PostedMessage {
  std::size_t open = kRecipients;
  std::size_t queued = 0;
  Callback<std::size_t> done;
};

class HttpSending final : public RelaySending {
 public:
  explicit HttpSending(std::uint16_t port) : pool_(port, kPoolConnections) {}

  void Send(std::uint64_t seq, Callback<std::size_t> done) override {
    const auto message = std::make_shared<PostedMessage>();
    message->done = std::move(done);
    // As in the product, the event is encoded once.
    std::string event;
    AppendJsonString(event, EncodeFrame(seq));
    for (std::size_t i = 0; i < kRecipients; ++i) {
      pool_.Post(kRelayPath, EncodePost(seq, event, i),
                 [this, message](const Result<std::string>& answer) { Ended(*message, answer); });
    }
  }

  std::uint64_t Calls() override { return calls_; }
  std::uint64_t StreamWrites() override { return 0; }

 private:
  static std::string EncodePost(std::uint64_t seq, const std::string& event,
                                std::size_t recipient) {
    return JsonObject()
        .Reserve(event.size() + 200)
        .Add("target", kPeerIncarnation)
        .Add("room", kRoom)
        .Add("seq", seq)
        .Add("recipient", SessionName(recipient))
        .AddRaw("event", event)
        .Take();
  }

  void Ended(PostedMessage& message, const Result<std::string>& answer) {
    if (answer.ok()) ++calls_;
    if (answer.ok() && answer.value() == R"({"result":"queued"})") ++message.queued;
    if (--message.open == 0) message.done(message.queued);
  }

  std::atomic<std::uint64_t> calls_ = 0;
  AsyncHttpPool pool_;
};

}  // namespace

std::unique_ptr<RelaySending> MakeRelaySending(const RelayWay& way, std::uint16_t port) {
  if (way.mode) return std::make_unique<GrpcSending>(*way.mode, port);
  return std::make_unique<HttpSending>(port);
}

}  // namespace minichat::transports
