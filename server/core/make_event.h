#pragma once

#include "server/core/message.h"
#include "server/core/ports/client_link.h"

namespace minichat::core {

// What goes to clients and nodes of a placed message, encoded here and nowhere else.
EventPtr MakeEvent(const PlacedMessage& placed, const EventEncoder& encoder);
// The same of what is no message.
NoticePtr MakeNotice(Notice::Kind kind, const RoomId& room, const UserId& user,
                     const EventEncoder& encoder);

}  // namespace minichat::core
