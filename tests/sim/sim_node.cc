#include "tests/sim/sim_node.h"

#include <utility>

#include "server/base/check.h"
#include "storage/memory/memory_room_store.h"
#include "tests/sim/observer.h"
#include "tests/sim/sim_client.h"
#include "tests/sim/sim_directory.h"
#include "tests/sim/sim_kafka.h"
#include "tests/sim/sim_relay.h"
#include "tests/sim/sim_store.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

struct SimNode::Life {
  Life(SimWorld& world, SimNode& node)
      : scheduler(world.timeline()),
        directory(world, node, scheduler),
        log(world, node, scheduler),
        store(world, node, scheduler),
        room_store(scheduler),
        relay(world, node, scheduler) {
    core::NodeOptions options = NodeOptionsOf(world.options());
    options.name = node.name();
    options.relay_address = "relay:" + node.name().value();
    chat = std::make_unique<core::ChatNode>(
        std::move(options), core::NodePorts{scheduler, log, &log, directory, store, room_store,
                                            relay, encoder, world.metrics()});
  }

  SimScheduler scheduler;
  SimDirectory directory;
  SimLog log;
  SimStore store;
  memory::MemoryRoomStore room_store;
  SimRelay relay;
  SimEncoder encoder;
  std::unique_ptr<core::ChatNode> chat;
};

SimNode::SimNode(SimWorld& world, core::NodeName name, SimRedis& redis)
    : world_(world), name_(std::move(name)), redis_(&redis) {}

SimNode::~SimNode() {
  for (const auto& link : links_) link->DropWaiting();
}

void SimNode::Start() {
  lives_.push_back(std::make_unique<Life>(world_, *this));
  alive_ = true;
  world_.Trace(name_.value() + ": starts, epoch " + std::to_string(epoch()));
  chat().OnNameTaken([this, life = epoch()] {
    world_.observer().Violation("NODE_EXIT", name_.value() + " told that its name was taken");
    world_.timeline().After(Duration::zero(), [this, life] {
      if (epoch() != life) return;
      Crash();
      world_.timeline().After(Seconds(3), [this] { Restart(); });
    });
  });
  chat().Start();
}

void SimNode::Crash() {
  if (!alive_) return;
  world_.Trace(name_.value() + ": crashes");
  Life& life = *lives_.back();
  life.scheduler.Kill();
  life.chat.reset();
  alive_ = false;
  for (const auto& link : std::exchange(links_, {})) link->NodeDied();
}

void SimNode::Restart() {
  if (!alive_) Start();
}

void SimNode::Hang() {
  if (!alive_ || hung()) return;
  world_.Trace(name_.value() + ": hangs");
  lives_.back()->scheduler.Hang();
}

void SimNode::Wake(std::uint64_t of_epoch) {
  if (!alive_ || epoch() != of_epoch || !hung()) return;
  world_.Trace(name_.value() + ": wakes");
  lives_.back()->scheduler.Wake();
}

bool SimNode::hung() const {
  return alive_ && lives_.back()->scheduler.hung();
}

core::ChatNode& SimNode::chat() {
  CHECK(alive_);
  return *lives_.back()->chat;
}

void SimNode::Arrive(Scheduler::Work work, std::uint64_t stream) {
  if (alive_) lives_.back()->scheduler.Arrive(std::move(work), stream);
}

void SimNode::LoseRedis(const std::string& run_id) {
  if (!alive_) return;
  Arrive([life = lives_.back().get(), run_id] { life->directory.Lose(run_id); });
}

std::string SimNode::redis_run_id() const {
  return alive_ ? lives_.back()->directory.run_id() : "";
}

core::Generation SimNode::JoinGeneration(const core::SessionId& session,
                                         const core::RoomId& room) const {
  return alive_ ? lives_.back()->directory.JoinGeneration(session, room) : 0;
}

}  // namespace minichat::sim
