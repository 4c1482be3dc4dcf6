#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "loadtest/client/endpoint.h"

namespace minichat::loadtest {

struct HttpAnswer {
  int status = 0;
  std::string body = {};
};

struct HttpCall {
  std::string method = "GET";
  std::string path = {};
  std::string body = {};
  std::string bearer = {};  // Authorization: Bearer …, when not empty
};

// One HTTP/1.1 request on a connection of its own, blocking for at most `limit`. For admin calls.
//
// Errors: kUnavailable when there is no whole answer in time.
Result<HttpAnswer> CallHttp(const Endpoint& endpoint, const HttpCall& call,
                            std::chrono::milliseconds limit = std::chrono::seconds(3));

}  // namespace minichat::loadtest
