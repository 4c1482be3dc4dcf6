#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/scratch_process.h"

namespace minichat::test {

// A private Kafka broker on 127.0.0.1, with its data in a temporary folder. Its jars come through
// deploy/kafka/fetch.sh (environment MINICHAT_KAFKA_LIB: where they are kept).
//
// Lifetime:  one per test program: Shared(). Private ones for tests that stop it.
// Threading: confined to one thread.
// Errors:    throws when the broker is there and doesn't start.
class ScratchKafka {
 public:
  ScratchKafka();
  ~ScratchKafka();

  // Null: there is no Java or the jars can't be had.
  static ScratchKafka* Shared();
  static bool Installed();

  std::string brokers() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "kafka://" + brokers(); }
  // A topic name that no other test has.
  std::string NewTopicName();

  // SIGTERM and wait; Start() with the same data and ports.
  void Stop();
  void Start();
  void Signal(int signal) const { server_->Signal(signal); }

 private:
  std::string WriteConfig() const;
  std::string ClassPath() const;
  void Format(const std::string& config);

  ScratchDir dir_;
  std::uint16_t port_ = 0;
  std::uint16_t controller_port_ = 0;
  int topics_ = 0;
  std::unique_ptr<ScratchProcess> server_;
};

}  // namespace minichat::test

// First line of a test that needs a broker.
#define SKIP_WITHOUT_KAFKA()                                                             \
  do {                                                                                   \
    if (!::minichat::test::ScratchKafka::Installed()) {                                  \
      if (::minichat::test::ServicesAreRequired()) FAIL() << "kafka (java) is not here"; \
      GTEST_SKIP() << "kafka (java) is not here";                                        \
    }                                                                                    \
  } while (false)
