#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "server/base/executor.h"
#include "server/base/status.h"

namespace minichat::lab {

struct HopOptions {
  std::string name = "hop";  // in its log lines
  std::string next = {};     // where it passes orders on to; empty: the last one, which works
  std::size_t workers = 16;  // threads that handle orders and pings; each waits while it does
  std::size_t queue_tasks = 1'000;
  Overflow overflow = Overflow::kReject;
  // Orders that are passed on carry what is left of their budget, and are cancelled with their
  // caller. Otherwise they have no deadline, and know nothing of the caller.
  bool propagate_deadline = true;
  bool async = false;  // no thread waits for the next service, and pings need no worker
  std::chrono::milliseconds work{5'000};  // of the last one, per order
  // After each of these it looks whether somebody still waits.
  std::chrono::milliseconds slice{20};

  bool operator==(const HopOptions&) const = default;
};

// One service of a chain. Its workers are the product's executor, its bound of calls in hand and
// its channels those of the relay.
//
// Lifetime:  Start() once, Shutdown(), then destroy.
// Threading: thread-compatible; handlers run on its workers, or on gRPC's threads when async.
// Errors:    Start() says why it can't listen. Callers get ResourceExhausted when no worker takes
//            their call, DeadlineExceeded when the budget is used up, else what the next one said.
class HopServer {
 public:
  explicit HopServer(HopOptions options);
  ~HopServer();  // as Shutdown()

  Status Start(const std::string& listen = "127.0.0.1:0");
  int port() const;
  // Cancels what is under way, and stops listening. Idempotent.
  void Shutdown();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minichat::lab
