#pragma once

#include <memory>
#include <vector>

#include "loadtest/client/client_loop.h"
#include "server/base/status.h"
#include "tests/support/scratch_process.h"

namespace minichat::bench {

struct FloorOptions {
  std::size_t senders = 3;  // one for each node
  std::size_t clients = 150;
  std::size_t bytes = 350;  // of one event, its frame's head included
};

// The floor beneath every server that writes an event to each of its clients: processes that do
// only that, each for its share of the clients (tests/bench/floor_sender.cc).
//
// Lifetime:  the loop outlives it; its end kills the senders.
// Threading: confined to the loop's thread. Run() blocks.
class RawFloor {
 public:
  struct Sample {
    double cpu_us = 0;  // of all senders, per delivery
    std::size_t deliveries = 0;
  };

  // Starts the senders and connects the clients.
  static Result<std::unique_ptr<RawFloor>> Start(loadtest::ClientLoop& loop, FloorOptions options);
  ~RawFloor();
  RawFloor(const RawFloor&) = delete;

  Result<Sample> Run(double rate, std::chrono::milliseconds duration);

 private:
  class Client;

  RawFloor(loadtest::ClientLoop& loop, FloorOptions options);
  Status Connect();
  Status ConnectTo(std::size_t sender, const std::string& port_file);
  double CpuOfSenders() const;
  std::size_t BytesReceived() const;

  loadtest::ClientLoop& loop_;
  const FloorOptions options_;
  test::ScratchDir dir_{"floor"};
  std::vector<std::unique_ptr<test::ScratchProcess>> senders_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace minichat::bench
