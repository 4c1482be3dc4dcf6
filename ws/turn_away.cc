#include "ws/turn_away.h"

#include <string>

#include <sys/socket.h>

#include "server/base/check.h"
#include "ws/http_text.h"

namespace minichat::ws {
namespace {

constexpr int kRetryAfterS = 5;

std::string ResponseTo(Refused why) {
  const bool of_address = why == Refused::kAddressFull;
  return EncodeResponse(
      of_address ? Refusal(429, "too many connections of this address", kRetryAfterS)
                 : Refusal(503, "this node has as many connections as it takes", kRetryAfterS),
      {.keep_alive = false});
}

}  // namespace

const char* NameOf(Refused why) {
  switch (why) {
    case Refused::kNodeFull:
      return "node";
    case Refused::kFewDescriptors:
      return "descriptors";
    case Refused::kAddressFull:
      return "address";
  }
  CHECK(false && "every reason has a name");
}

void TurnAway(Socket socket, Refused why) {
  const std::string response = ResponseTo(why);
  // Whether it got through makes no difference: nobody waits here for one who may not stay.
  static_cast<void>(::send(socket.native_handle(), response.data(), response.size(),
                           MSG_DONTWAIT | MSG_NOSIGNAL));
}

}  // namespace minichat::ws
