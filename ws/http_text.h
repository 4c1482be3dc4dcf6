#pragma once

#include <string>
#include <string_view>

#include "server/base/http_routes.h"

namespace minichat::ws {

// How a response is written.
struct ResponseForm {
  bool keep_alive = true;  // the connection takes a further request
  bool head_only = false;  // to HEAD: all but the body
};

// The whole response as HTTP/1.1 bytes. It names no software.
std::string EncodeResponse(const HttpResponse& response, ResponseForm form);
// What a request that never gets to the routes is answered: {"code": …, "error": message}.
HttpResponse Refusal(int status, std::string_view message);
// With Retry-After.
HttpResponse Refusal(int status, std::string_view message, int retry_after_s);

}  // namespace minichat::ws
