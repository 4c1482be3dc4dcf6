#include "relay/grpc_relay.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "relay/peer_table.h"
#include "relay/pooled_dispatch.h"
#include "relay/relay_codec.h"
#include "server/base/check.h"
#include "server/base/log.h"

namespace minichat::relay {
namespace {

std::unique_ptr<CallDispatch> MakeDispatch(FedExecutor* pool, std::shared_ptr<EndedCalls> ended) {
  if (pool == nullptr) return std::make_unique<CallbackDispatch>(std::move(ended));
  return std::make_unique<PooledDispatch>(*pool, std::move(ended));
}

}  // namespace

struct GrpcRelay::Impl : std::enable_shared_from_this<GrpcRelay::Impl> {
  Impl(GrpcRelayOptions opts, Scheduler& sched, MetricsRegistry& registry)
      : options(std::move(opts)),
        scheduler(sched),
        metrics(registry),
        ended_calls(
            std::make_shared<EndedCalls>(scheduler, [this](auto ended) { OnEnded(ended); })),
        dispatch(MakeDispatch(options.lab.pool, ended_calls)),
        context{options,
                scheduler,
                metrics,
                *dispatch,
                std::make_shared<StreamNewsBox>(scheduler, [this](auto news) { OnNews(news); }),
                std::make_shared<EndedControls>(scheduler,
                                                [](const auto& ended) {
                                                  for (const auto& call : ended) {
                                                    call->lane->OnEnded(*call);
                                                  }
                                                }),
                [this](RelayPart& part, grpc::StatusCode code, const WireResults& results) {
                  OnItemEnded(part, code, results);
                }},
        peers([this](const core::NodeEntry& peer) {
          return std::make_shared<PeerLink>(peer, context);
        }) {
    CHECK(options.max_recipients_per_call > 0);  // a constant of the program, not of the config
    options.max_recipients_per_call =
        std::min(options.max_recipients_per_call, kMaxRecipientsPerCall);
    metrics.SetMode(Mode());
  }

  RelayMode Mode() const { return cluster_mode.value_or(options.mode); }

  // None: this node doesn't know it, or can't.
  std::optional<RelayMode> ModeOf(const std::string& name) const {
    const std::optional<RelayMode> mode = ParseRelayMode(name);
    const bool can = mode != RelayMode::kStream || options.lab.can_stream;
    return can ? mode : std::nullopt;
  }
  Duration BudgetOf(Deadline deadline) const;
  const EncodedEvent& Encode(core::EventPtr event);
  void StartParts(PeerLink& link, const std::shared_ptr<Delivery>& delivery,
                  const EncodedEvent& event, const std::vector<core::SessionId>& recipients,
                  Duration budget);
  void OnEnded(const std::vector<std::unique_ptr<RelayCall>>& calls);
  void OnNews(std::vector<StreamNews>& news);
  void OnItemEnded(RelayPart& part, grpc::StatusCode code, const WireResults& results);
  void Settle(const RelayPart& part, grpc::StatusCode code, const WireResults& results);
  void Finish(Delivery& delivery);
  void OnModeMayHaveChanged(RelayMode before);
  void Stop(Duration limit);

  GrpcRelayOptions options;
  Scheduler& scheduler;
  RelayMetrics metrics;
  const std::shared_ptr<EndedCalls> ended_calls;
  const std::unique_ptr<CallDispatch> dispatch;
  const LinkContext context;
  PeerTable peers;
  std::string cluster_setting;  // as it was last told, also when this version doesn't know it
  std::optional<RelayMode> cluster_mode;
  bool stopped = false;

  // The event that was relayed last, encoded: it goes to several nodes one after the other.
  core::EventPtr last_event;
  std::optional<EncodedEvent> last_encoded;
};

namespace {

// Takes over what was answered. An answer that doesn't fit its request counts as failed.
void Collect(const RelayPart& part, const WireResults& results) {
  if (static_cast<std::size_t>(results.size()) != part.count) return;
  for (std::size_t i = 0; i < part.count; ++i) {
    part.delivery->results[part.first + i] =
        FromWire(static_cast<v1::RecipientResult>(results.Get(static_cast<int>(i))));
  }
}

}  // namespace

Duration GrpcRelay::Impl::BudgetOf(Deadline deadline) const {
  switch (options.lab.deadline) {
    case CallDeadline::kFixed:
      return options.lab.fixed_deadline;
    case CallDeadline::kNone:
      return kNoDeadline;
    case CallDeadline::kPropagate:
      break;
  }
  return std::min(options.longest_call, deadline.Remaining(scheduler.Now()) - options.margin);
}

const EncodedEvent& GrpcRelay::Impl::Encode(core::EventPtr event) {
  if (event != last_event || !last_encoded) {
    last_encoded.emplace(*event);
    last_event = std::move(event);
  }
  return *last_encoded;
}

void GrpcRelay::Impl::StartParts(PeerLink& link, const std::shared_ptr<Delivery>& delivery,
                                 const EncodedEvent& event,
                                 const std::vector<core::SessionId>& recipients, Duration budget) {
  const core::Incarnation& target = link.peer().incarnation;
  const RelayMode mode = delivery->mode;
  const std::size_t most = mode == RelayMode::kSingle ? 1 : options.max_recipients_per_call;
  std::size_t count = 0;
  for (std::size_t first = 0; first < recipients.size(); first += count) {
    count = ChunkFrom(recipients, first, event.size(), most, options.max_bytes_per_call);
    RelayPart part{delivery, first, count, nullptr, {}};
    bool started = false;
    if (mode == RelayMode::kStream) {
      started = link.TryStartItem(std::move(part),
                                  event.RequestBytes(target, recipients, first, count), budget);
    } else {
      auto call = std::make_unique<RelayCall>();
      call->part = std::move(part);
      call->request = event.Request(target, recipients, first, count);
      started = link.TryStart(std::move(call), budget);
    }
    if (started) ++delivery->open_parts;
  }
}

void GrpcRelay::Impl::OnEnded(const std::vector<std::unique_ptr<RelayCall>>& calls) {
  for (const auto& call : calls) {
    call->part.link->OnCallEnded(*call);
    Settle(call->part, call->status.error_code(), call->reply.results());
  }
}

void GrpcRelay::Impl::OnNews(std::vector<StreamNews>& news) {
  for (StreamNews& each : news) {
    if (const auto lane = each.stream->lane().lock()) lane->OnNews(each);
  }
}

void GrpcRelay::Impl::OnItemEnded(RelayPart& part, grpc::StatusCode code,
                                  const WireResults& results) {
  part.link->OnEnded(part, code);
  Settle(part, code, results);
}

void GrpcRelay::Impl::Settle(const RelayPart& part, grpc::StatusCode code,
                             const WireResults& results) {
  if (code == grpc::StatusCode::OK) Collect(part, results);
  if (--part.delivery->open_parts == 0 && !stopped) Finish(*part.delivery);
}

void GrpcRelay::Impl::Finish(Delivery& delivery) {
  metrics.stage_relay.Observe(
      std::chrono::duration<double>(scheduler.Now() - delivery.started).count());
  for (const core::RelayResult result : delivery.results) {
    metrics.Recipient(delivery.mode, result).Increment();
  }
  std::exchange(delivery.done, nullptr)(std::move(delivery.results));
}

void GrpcRelay::Impl::OnModeMayHaveChanged(RelayMode before) {
  if (Mode() == before) return;
  metrics.SetMode(Mode());
  log::Info("relay_mode",
            {{"mode", ToString(Mode())}, {"source", cluster_mode ? "cluster" : "node"}});
}

void GrpcRelay::Impl::Stop(Duration limit) {
  if (std::exchange(stopped, true)) return;
  const Deadline deadline = Deadline::After(scheduler, limit);
  peers.CancelAll();
  while (peers.open() > 0 && !deadline.Passed(scheduler.Now())) {
    ended_calls->HandlePending();
    context.stream_news->HandlePending();
    context.ended_controls->HandlePending();
    std::this_thread::yield();  // a cancelled call ends within a turn of gRPC's thread
  }
  if (const std::size_t rest = peers.open(); rest > 0) {
    log::Warn("relay_calls_abandoned", {{"calls", rest}});
  }
  ended_calls->Close();
  context.stream_news->Close();
  context.ended_controls->Close();
  peers.Set({});
}

GrpcRelay::GrpcRelay(GrpcRelayOptions options, Scheduler& scheduler, MetricsRegistry& registry)
    : impl_(std::make_shared<Impl>(std::move(options), scheduler, registry)) {}

GrpcRelay::~GrpcRelay() {
  Stop(std::chrono::seconds(1));
}

void GrpcRelay::SetPeers(std::vector<core::NodeEntry> peers) {
  if (!impl_->stopped) impl_->peers.Set(peers);
}

void GrpcRelay::Deliver(const core::NodeName& node, const core::Incarnation& incarnation,
                        core::EventPtr event, std::vector<core::SessionId> recipients,
                        Deadline deadline, Callback<std::vector<core::RelayResult>> done) {
  if (impl_->stopped) return;
  auto delivery = std::make_shared<Delivery>();
  delivery->mode = impl_->Mode();
  delivery->results.assign(recipients.size(), core::RelayResult::kFailed);
  delivery->started = impl_->scheduler.Now();
  delivery->done = std::move(done);

  const Duration budget = impl_->BudgetOf(deadline);
  PeerLink* link = impl_->peers.Find(node, incarnation);
  if (link != nullptr && budget > Duration::zero()) {
    impl_->StartParts(*link, delivery, impl_->Encode(std::move(event)), recipients, budget);
  }
  if (delivery->open_parts > 0) return;
  impl_->scheduler.Post([weak = std::weak_ptr(impl_), delivery] {
    if (const auto impl = weak.lock(); impl && !impl->stopped) impl->Finish(*delivery);
  });
}

void GrpcRelay::SendTyping(const core::NodeName& node, const core::Incarnation& incarnation,
                           const core::Typing& typing) {
  if (impl_->stopped) return;
  PeerLink* link = impl_->peers.Find(node, incarnation);
  if (link != nullptr) link->SendControl(EncodeTyping(incarnation, typing));
}

void GrpcRelay::OnClusterMode(const core::RelayModeSetting& setting) {
  if (setting.mode == impl_->cluster_setting) return;
  const RelayMode before = mode();
  impl_->cluster_setting = setting.mode;
  impl_->cluster_mode = impl_->ModeOf(setting.mode);
  if (!setting.mode.empty() && !impl_->cluster_mode) {
    log::Warn("relay_mode_unknown", {{"mode", setting.mode}, {"kept", ToString(mode())}});
  }
  impl_->OnModeMayHaveChanged(before);
}

void GrpcRelay::SetConfiguredMode(RelayMode mode) {
  const RelayMode before = impl_->Mode();
  impl_->options.mode = mode;
  impl_->OnModeMayHaveChanged(before);
}

RelayMode GrpcRelay::mode() const {
  return impl_->Mode();
}

const std::string& GrpcRelay::cluster_mode() const {
  return impl_->cluster_setting;
}

void GrpcRelay::Stop(Duration limit) {
  impl_->Stop(limit);
}

}  // namespace minichat::relay
