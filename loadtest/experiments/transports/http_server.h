#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace minichat::transports {

// A POST as its handler sees it.
struct HttpPost {
  std::string path;
  std::string body;
};

// Called exactly once, from any thread, with the JSON of the answer; empty: 400.
using HttpRespond = std::function<void(std::string json)>;
using HttpHandler = std::function<void(HttpPost post, HttpRespond respond)>;

// HTTP/1.1 with Boost.Beast, for posts of JSON on 127.0.0.1: the baseline beside gRPC. No part of
// minichat, which serves HTTP in ws/.
//
// Lifetime:  the handler may respond until its end. Its end is the end of all connections.
// Threading: `threads` take requests; the handler runs on them, for one request of a connection at
//            a time.
// Errors:    an exception when it can't listen. What is no post is answered 400.
class HttpServer {
 public:
  HttpServer(std::size_t threads, HttpHandler handler);
  ~HttpServer();

  std::uint16_t port() const;
  std::uint64_t connections() const;  // accepted so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::transports
