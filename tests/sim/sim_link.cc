#include <algorithm>
#include <utility>

#include "tests/sim/sim_client.h"
#include "tests/sim/sim_node.h"
#include "tests/sim/sim_world.h"

namespace minichat::sim {

SimLink::SimLink(SimWorld& world, SimClient& client, SimNode& node)
    : world_(world),
      client_(client),
      node_(node),
      epoch_(node.epoch()),
      stream_(world.random().Next() | 1) {}

void SimLink::Open(const core::UserId& user) {
  session_ =
      std::get<core::SessionId>(node_.chat().OpenSession({user, std::nullopt}, shared_from_this()));
  ToClient([this] { client_.OnWelcome(shared_from_this()); });
}

void SimLink::ToNode(Request request) {
  Arrive([this, request = std::move(request)](core::ChatNode&) { Handle(request); });
}

void SimLink::Close() {
  Arrive([this](core::ChatNode& chat) {
    open_ = false;
    DropWaiting();
    chat.CloseSession(session_);
  });
}

void SimLink::Arrive(Request request) {
  Timeline& timeline = world_.timeline();
  last_to_node_ = std::max(last_to_node_ + Seconds(1e-6), timeline.Now() + world_.Net());
  timeline.At(last_to_node_, [self = shared_from_this(), request = std::move(request)] {
    if (self->node_.epoch() != self->epoch_) return;
    self->node_.Arrive(
        [self, request] {
          if (self->open_) request(self->node_.chat());
        },
        self->stream_);
  });
}

void SimLink::Handle(const Request& request) {
  if (resuming_) {
    waiting_.push_back(request);
  } else {
    request(node_.chat());
  }
}

void SimLink::ResumeEnds() {
  resuming_ = false;
  for (const Request& request : std::exchange(waiting_, {})) {
    if (open_) Handle(request);
  }
}

void SimLink::ToClient(std::function<void()> frame) {
  if (!open_) return;
  Timeline& timeline = world_.timeline();
  last_to_client_ = std::max(last_to_client_ + Seconds(1e-6), timeline.Now() + world_.Net());
  timeline.At(last_to_client_, [self = shared_from_this(), frame = std::move(frame)] { frame(); });
}

void SimLink::Deliver(const core::EventPtr& event) {
  if (world_.options().lie == Lie::kSwapDeliveries) {
    if (held_back_ == nullptr && world_.random().Chance(.1)) {
      held_back_ = event;
      return;
    }
  }
  ToClient([this, first = event] { client_.OnEvent(shared_from_this(), first); });
  if (core::EventPtr second = std::exchange(held_back_, nullptr)) {
    ToClient([this, second] { client_.OnEvent(shared_from_this(), second); });
  }
}

bool SimLink::CanTakePage() const {
  if (drain_awaited_) return false;
  if (!world_.random().Chance(.1)) return true;
  drain_awaited_ = true;
  world_.timeline().After(Seconds(world_.random().Uniform(.01, .1)), [self = shared_from_this()] {
    if (self->node_.epoch() != self->epoch_) return;
    self->node_.Arrive([self] {
      self->drain_awaited_ = false;
      if (self->open_) self->node_.chat().OnDrained(self->session_);
    });
  });
  return false;
}

void SimLink::TellGap(const core::RoomId& room, core::Seq, core::Seq to) {
  const core::Generation generation = node_.JoinGeneration(session_, room);
  ToClient(
      [this, room, to, generation] { client_.OnGap(shared_from_this(), room, to, generation); });
}

void SimLink::Tell(const core::NoticePtr& notice) {
  if (world_.options().lie == Lie::kDropNotices) return;
  ToClient([this, notice] { client_.OnNotice(shared_from_this(), notice); });
}

void SimLink::CloseForRestart() {
  ToClient([this] { client_.OnLost(shared_from_this()); });
  open_ = false;
}

void SimLink::NodeDied() {
  DropWaiting();
  if (!open_) return;
  open_ = false;
  world_.timeline().After(Seconds(world_.random().Uniform(.001, .3)),
                          [self = shared_from_this()] { self->client_.OnLost(self); });
}

}  // namespace minichat::sim
