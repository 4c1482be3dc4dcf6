#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "server/base/status.h"
#include "server/base/task.h"

namespace minichat::transports {

// Posts of JSON to a service on 127.0.0.1 that hold the calling thread until the answer is there.
//
// Threading: thread-safe; who finds no free connection waits for one, in order.
// Errors:    Unavailable when a connection broke, Internal for an answer that isn't 200. Nothing is
//            tried twice.
// Limits:    `connections`, kept alive; 0: a new connection for each post.
class BlockingHttpPool {
 public:
  BlockingHttpPool(std::uint16_t port, std::size_t connections);
  ~BlockingHttpPool();

  Result<std::string> Post(const std::string& path, std::string json);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same without holding a thread: posts beyond the connections wait in their order.
//
// Lifetime:  must not end while posts are under way.
// Threading: thread-safe; callbacks run on its one thread, never inside Post().
class AsyncHttpPool {
 public:
  AsyncHttpPool(std::uint16_t port, std::size_t connections);
  ~AsyncHttpPool();

  void Post(std::string path, std::string json, Callback<Result<std::string>> done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::transports
