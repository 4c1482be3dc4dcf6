#include "loadtest/experiments/transports/relay_receiving.h"

#include <stdexcept>
#include <utility>

#include <boost/json/parse.hpp>

#include "loadtest/experiments/transports/http_server.h"
#include "relay/relay_server.h"
#include "server/base/metrics.h"
#include "tests/support/core_thread.h"

namespace minichat::transports {
namespace {

// An unknown session counts as the recipient behind the last, which the account refuses.
void Hand(RelayAccount& account, std::uint64_t seq, std::string_view session) {
  account.Handed(seq, RecipientOf(session).value_or(kRecipients));
}

class AccountReceiver final : public core::RelayReceiver {
 public:
  explicit AccountReceiver(RelayAccount& account) : account_(account) {}

  std::vector<core::RelayResult> OnRelayed(
      const core::Incarnation& target, core::EventPtr event,
      const std::vector<core::SessionId>& recipients) override {
    if (target.value() != kPeerIncarnation) {
      return std::vector(recipients.size(), core::RelayResult::kNotHere);
    }
    for (const core::SessionId& recipient : recipients) {
      Hand(account_, event->place.seq, recipient.value());
    }
    return std::vector(recipients.size(), core::RelayResult::kQueued);
  }
  void OnTyping(const core::Incarnation&, const core::Typing&) override {}

 private:
  RelayAccount& account_;
};

class GrpcReceiving final : public RelayReceiving {
 public:
  explicit GrpcReceiving(RelayAccount& account) : receiver_(account) {
    relay::RelayServerOptions options;
    options.cluster_secret = kSecret;
    server_ = std::make_unique<relay::RelayServer>(options, core_.scheduler, receiver_, metrics_);
    Status status;
    core_.Run([&] { status = server_->Start(); });
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }
  ~GrpcReceiving() override {
    core_.Run([this] { server_->Shutdown(std::chrono::seconds(1)); });
  }

  std::uint16_t port() const override { return static_cast<std::uint16_t>(server_->port()); }

 private:
  MetricsRegistry metrics_;
  AccountReceiver receiver_;
  tests::CoreThread core_;
  std::unique_ptr<relay::RelayServer> server_;
};

class HttpReceiving final : public RelayReceiving {
 public:
  explicit HttpReceiving(RelayAccount& account)
      : account_(account), server_(1, [this](const HttpPost& post, const HttpRespond& respond) {
          respond(post.path == kRelayPath ? Handle(post.body) : std::string());
        }) {}

  std::uint16_t port() const override { return server_.port(); }

 private:
  // Empty: no such request.
  std::string Handle(const std::string& body) {
    boost::json::error_code error;
    const auto value = boost::json::parse(body, error);
    if (error || !value.is_object()) return {};
    const auto& request = value.get_object();
    const auto* target = request.if_contains("target");
    const auto* seq = request.if_contains("seq");
    const auto* event = request.if_contains("event");
    const auto* recipient = request.if_contains("recipient");
    if (target == nullptr || seq == nullptr || event == nullptr || recipient == nullptr ||
        !seq->is_int64() || !event->is_string() || !recipient->is_string()) {
      return {};
    }
    if (*target != kPeerIncarnation) return R"({"result":"not_here"})";
    const auto& session = recipient->get_string();
    Hand(account_, static_cast<std::uint64_t>(seq->get_int64()), {session.data(), session.size()});
    return R"({"result":"queued"})";
  }

  RelayAccount& account_;
  HttpServer server_;
};

}  // namespace

std::unique_ptr<RelayReceiving> MakeRelayReceiving(const RelayWay& way, RelayAccount& account) {
  if (way.mode) return std::make_unique<GrpcReceiving>(account);
  return std::make_unique<HttpReceiving>(account);
}

}  // namespace minichat::transports
