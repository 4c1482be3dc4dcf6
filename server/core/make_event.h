#pragma once

#include "server/core/message.h"
#include "server/core/ports/client_link.h"

namespace minichat::core {

// What goes to clients and nodes of a placed message, encoded here and nowhere else.
EventPtr MakeEvent(const PlacedMessage& placed, const EventEncoder& encoder);

}  // namespace minichat::core
