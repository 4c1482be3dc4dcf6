#pragma once

#include "ws/socket.h"

namespace minichat::ws {

// Why an accepted connection doesn't stay.
enum class Refused {
  kNodeFull,        // as many connections as the node takes
  kFewDescriptors,  // what is left is for links to back ends and for operators
  kAddressFull,     // as many as one address may have
};

// As metric label.
const char* NameOf(Refused why);

// Says so in HTTP (503, or 429 to the address), as far as the socket takes it at once, and closes.
void TurnAway(Socket socket, Refused why);

}  // namespace minichat::ws
