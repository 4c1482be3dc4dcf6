#include "tests/sim/sim_relay.h"

#include <algorithm>
#include <numeric>

#include "server/core/chat_node.h"
#include "tests/sim/faults.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

using core::RelayResult;

struct SimRelay::Delivery {
  SimNode* target;
  core::Incarnation incarnation;
  core::EventPtr event;
  std::vector<core::SessionId> recipients;
  Callback<std::vector<RelayResult>> done;
  std::vector<RelayResult> results;
  std::size_t unanswered;
  bool finished = false;

  void Finish() {
    if (!std::exchange(finished, true)) done(results);
  }
};

SimRelay::SimRelay(SimWorld& world, SimNode& node, SimScheduler& scheduler)
    : world_(world), node_(node), scheduler_(scheduler) {}

void SimRelay::SetPeers(std::vector<core::NodeEntry> peers) {
  peers_.clear();
  for (const core::NodeEntry& peer : peers) peers_.insert(peer.name);
}

void SimRelay::Deliver(const core::NodeName& node, const core::Incarnation& incarnation,
                       core::EventPtr event, std::vector<core::SessionId> recipients,
                       Deadline deadline, Callback<std::vector<RelayResult>> done) {
  const std::size_t count = recipients.size();
  auto delivery = std::make_shared<Delivery>(
      Delivery{world_.FindNode(node), incarnation, std::move(event), std::move(recipients),
               std::move(done), std::vector<RelayResult>(count, RelayResult::kFailed), count});
  if (!peers_.contains(node) || delivery->target == nullptr) {
    scheduler_.Post([delivery] { delivery->Finish(); });
    return;
  }
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), 0u);
  if (world_.bulk()) {
    SendPacket(delivery, all);
  } else {
    for (const std::size_t index : all) SendPacket(delivery, {index});
  }
  const Deadline limit = deadline.Earlier(Deadline::After(scheduler_, Seconds(.5)));
  scheduler_.RunAfter(limit.Remaining(scheduler_.Now()), [delivery] { delivery->Finish(); });
}

void SimRelay::SendPacket(const std::shared_ptr<Delivery>& delivery,
                          std::vector<std::size_t> indexes) {
  world_.Hit("relay", "sent", &node_);
  Random& random = world_.random();
  if (world_.options().lie == Lie::kHideHead) return;
  Duration latency = random.Chance(.9) ? world_.Net() : Seconds(random.Uniform(.001, .1));
  if (world_.faults().IsCut(node_, *delivery->target)) {
    if (random.Chance(.8)) return;
    latency = Seconds(random.Uniform(.2, 4));
  } else if (!world_.options().faults.empty() && random.Chance(.02)) {
    return;
  }
  const auto arrive = [this, delivery, indexes] { Arrive(delivery, indexes); };
  world_.timeline().After(latency, arrive);
  if (random.Chance(.03)) {
    world_.timeline().After(latency + Seconds(random.Uniform(0, .3)), arrive);
  }
}

void SimRelay::Arrive(const std::shared_ptr<Delivery>& delivery,
                      const std::vector<std::size_t>& indexes) {
  SimNode* target = delivery->target;
  target->Arrive([this, delivery, indexes, target] {
    std::vector<core::SessionId> recipients;
    recipients.reserve(indexes.size());
    for (const std::size_t index : indexes) recipients.push_back(delivery->recipients[index]);
    const auto results =
        target->chat().OnRelayed(delivery->incarnation, delivery->event, recipients);
    world_.timeline().After(
        world_.Net(), [this, delivery, indexes, results] { Answer(delivery, indexes, results); });
  });
}

void SimRelay::Answer(const std::shared_ptr<Delivery>& delivery,
                      const std::vector<std::size_t>& indexes,
                      const std::vector<RelayResult>& results) {
  scheduler_.Arrive([delivery, indexes, results] {
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      RelayResult& present = delivery->results[indexes[i]];
      if (present == RelayResult::kFailed) --delivery->unanswered;
      present = results[i];
    }
    if (delivery->unanswered == 0) delivery->Finish();
  });
}

std::string SimEncoder::Encode(const core::PlacedMessage& placed) const {
  return std::to_string(placed.place.seq) + " " + placed.message->id.ToText() + " " +
         std::to_string(placed.message->hash);
}

void SimRelay::SendTyping(const core::NodeName& node, const core::Incarnation& incarnation,
                          const core::Typing& typing) {
  SimNode* target = world_.FindNode(node);
  if (target == nullptr || world_.faults().IsCut(node_, *target)) return;
  world_.timeline().After(world_.Net(), [target, incarnation, typing] {
    target->Arrive([target, incarnation, typing] { target->chat().OnTyping(incarnation, typing); });
  });
}

std::string SimEncoder::EncodeNotice(core::Notice::Kind kind, const core::RoomId& room,
                                     const core::UserId& user) const {
  return std::to_string(static_cast<int>(kind)) + " " + room.value() + " " + user.value();
}

std::string SimEncoder::Expected(const core::Event& event) {
  return std::to_string(event.place.seq) + " " + event.id.ToText() + " " +
         std::to_string(event.hash);
}

}  // namespace minichat::sim
