#include "server/core/make_event.h"

namespace minichat::core {

EventPtr MakeEvent(const PlacedMessage& placed, const EventEncoder& encoder) {
  auto event = std::make_shared<Event>();
  event->room = placed.message->room;
  event->place = placed.place;
  event->id = placed.message->id;
  event->hash = placed.message->hash;
  event->encoded = std::make_shared<const std::string>(encoder.Encode(placed));
  return event;
}

}  // namespace minichat::core
