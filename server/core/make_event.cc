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

NoticePtr MakeNotice(Notice::Kind kind, const RoomId& room, const UserId& user,
                     const EventEncoder& encoder) {
  auto notice = std::make_shared<Notice>();
  notice->kind = kind;
  notice->room = room;
  notice->user = user;
  // Ids hold no spaces.
  notice->key = (kind == Notice::Kind::kTyping ? "t " : "p ") + room.value() + " " + user.value();
  notice->encoded = std::make_shared<const std::string>(encoder.EncodeNotice(kind, room, user));
  return notice;
}

}  // namespace minichat::core
