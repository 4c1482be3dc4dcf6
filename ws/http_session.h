#pragma once

#include "ws/io_thread.h"
#include "ws/socket.h"

namespace minichat::ws {

// Serves HTTP on an accepted socket, by the context's routes; turns into a WebSocket session when
// the client asks for that on /ws and the context has clients. Ends by itself.
//
// Threading: on the socket's I/O thread, as all that follows.
void StartHttpSession(Socket socket, const PeerKey& peer, IoThread& thread);

}  // namespace minichat::ws
