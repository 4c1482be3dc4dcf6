#include "loadtest/experiments/chain/order_call.h"

#include <utility>

#include "server/base/log.h"

namespace minichat::lab {
namespace {

std::int64_t Micros(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

std::string MillisOrInfinite(std::optional<Duration> duration) {
  if (!duration) return "infinite";
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count());
}

}  // namespace

OrderCall::OrderCall(std::string hop, grpc::CallbackServerContext& context,
                     const v1::OrderRequest& request, v1::OrderReply* reply, HopJournal& journal,
                     std::shared_ptr<relay::InboundBudget> in_hand)
    : hop_(std::move(hop)),
      context_(context),
      budget_(HopBudget::Of(context.deadline(), std::chrono::system_clock::now(), Now())),
      reply_(reply),
      journal_(journal),
      in_hand_(std::move(in_hand)) {
  const TimePoint now = Now();
  entry_.set_number(request.number());
  entry_.set_arrived_us(Micros(now));
  entry_.set_started_us(Micros(now));
  if (const auto left = budget_.Remaining(now)) {
    entry_.set_budget_us(std::chrono::duration_cast<std::chrono::microseconds>(*left).count());
  }
  journal_.OnArrived();
}

void OrderCall::Begin() {
  const TimePoint now = Now();
  entry_.set_started_us(Micros(now));
  log::Info("order_begins", {{"hop", hop_},
                             {"order", number()},
                             {"remaining_ms", MillisOrInfinite(budget_.Remaining(now))},
                             {"waited_us", entry_.started_us() - entry_.arrived_us()}});
}

void OrderCall::DidSlices(std::uint32_t slices) {
  entry_.set_slices(slices);
  reply_->set_slices(slices);
}

void OrderCall::End(const grpc::Status& status) {
  const TimePoint now = Now();
  entry_.set_ended_us(Micros(now));
  entry_.set_code(static_cast<std::uint32_t>(status.error_code()));
  entry_.set_caller_gone(CallerGone());
  log::Info("order_ends", {{"hop", hop_},
                           {"order", number()},
                           {"remaining_ms", MillisOrInfinite(budget_.Remaining(now))},
                           {"took_us", entry_.ended_us() - entry_.started_us()},
                           {"code", entry_.code()},
                           {"caller_gone", entry_.caller_gone() ? "yes" : "no"},
                           {"slices", entry_.slices()}});
  journal_.OnEnded(entry_);
  Finish(status);
}

void OrderCall::OnDone() {
  in_hand_->GiveBack(0);
  delete this;
}

}  // namespace minichat::lab
