#pragma once

#include "ws/io_thread.h"
#include "ws/socket.h"
#include "ws/upgrade_request.h"

namespace minichat::ws {

// Answers an upgrade request that was found good, and serves the protocol on the socket. Ends by
// itself. `with_subprotocol`: the client offered ours, so the answer names it.
//
// Threading: on the socket's I/O thread, as all that follows.
void StartWebSocketSession(Socket socket, const PeerKey& peer, UpgradeRequest request,
                           bool with_subprotocol, IoThread& thread);

}  // namespace minichat::ws
