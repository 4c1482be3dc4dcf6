#include "loadtest/experiments/chain/hop_client.h"

#include <utility>

#include <grpcpp/client_context.h>

#include "minichat/lab/v1/chain.grpc.pb.h"
#include "relay/channel_settings.h"

namespace minichat::lab {
namespace {

template <class Request, class Reply>
struct Call {
  grpc::ClientContext context;
  Request request;
  Reply reply;
};

void SetBudget(std::optional<std::chrono::milliseconds> budget, grpc::ClientContext* context) {
  if (budget) context->set_deadline(std::chrono::system_clock::now() + *budget);
}

// The call holds the channel, which must not end on gRPC's thread: its end waits for that thread.
// So the call ends before its caller is told, who may end the client then.
template <class CallType>
auto TakeBackAndTell(CallType* call, HopClient::OnEnded on_ended) {
  return [call, on_ended = std::move(on_ended)](const grpc::Status& status) {
    delete call;
    on_ended(status.error_code());
  };
}

double Millis(std::int64_t micros) {
  return static_cast<double>(micros) / 1e3;
}

HopRecord RecordOf(const v1::JournalEntry& entry, TimePoint start) {
  const auto start_us =
      std::chrono::duration_cast<std::chrono::microseconds>(start.time_since_epoch()).count();
  HopRecord record;
  record.number = entry.number();
  if (entry.has_budget_us()) record.budget_ms = Millis(entry.budget_us());
  record.arrived_ms = Millis(entry.arrived_us() - start_us);
  record.waited_ms = Millis(entry.started_us() - entry.arrived_us());
  record.took_ms = Millis(entry.ended_us() - entry.started_us());
  record.code = static_cast<int>(entry.code());
  record.caller_gone = entry.caller_gone();
  record.slices = entry.slices();
  return record;
}

}  // namespace

struct HopClient::Impl {
  std::unique_ptr<v1::Chain::Stub> stub;
};

HopClient::HopClient(const std::string& address)
    : impl_(new Impl{v1::Chain::NewStub(relay::MakePeerChannel(address))}) {}

HopClient::~HopClient() = default;

void HopClient::Order(std::uint32_t number, std::optional<std::chrono::milliseconds> budget,
                      OnEnded on_ended) {
  auto* call = new Call<v1::OrderRequest, v1::OrderReply>;  // the callback takes it back
  SetBudget(budget, &call->context);
  call->request.set_number(number);
  impl_->stub->async()->Order(&call->context, &call->request, &call->reply,
                              TakeBackAndTell(call, std::move(on_ended)));
}

void HopClient::Ping(std::optional<std::chrono::milliseconds> budget, OnEnded on_ended) {
  auto* call = new Call<v1::PingRequest, v1::PingReply>;  // the callback takes it back
  SetBudget(budget, &call->context);
  impl_->stub->async()->Ping(&call->context, &call->request, &call->reply,
                             TakeBackAndTell(call, std::move(on_ended)));
}

void HopClient::Order(std::uint32_t number, std::optional<std::chrono::milliseconds> budget,
                      CallGatherer& results) {
  Order(number, budget,
        [&results, index = results.Started()](int code) { results.Ended(index, code); });
}

void HopClient::Ping(CallGatherer& results) {
  Ping(std::nullopt,
       [&results, index = results.Started()](int code) { results.Ended(index, code); });
}

int HopClient::OrderAndWait(std::uint32_t number, std::optional<std::chrono::milliseconds> budget) {
  Call<v1::OrderRequest, v1::OrderReply> call;
  SetBudget(budget, &call.context);
  call.request.set_number(number);
  return impl_->stub->Order(&call.context, call.request, &call.reply).error_code();
}

int HopClient::PingAndWait(std::chrono::milliseconds limit) {
  Call<v1::PingRequest, v1::PingReply> call;
  SetBudget(limit, &call.context);
  return impl_->stub->Ping(&call.context, call.request, &call.reply).error_code();
}

Result<HopView> HopClient::View(TimePoint start, std::chrono::milliseconds limit) {
  Call<v1::JournalRequest, v1::JournalReply> call;
  SetBudget(limit, &call.context);
  const grpc::Status status = impl_->stub->Journal(&call.context, call.request, &call.reply);
  if (!status.ok()) return Unavailable("hop: journal: " + status.error_message());
  HopView view;
  view.active = call.reply.active();
  view.refused = call.reply.refused();
  for (const v1::JournalEntry& entry : call.reply.entries()) {
    view.records.push_back(RecordOf(entry, start));
  }
  return view;
}

}  // namespace minichat::lab
