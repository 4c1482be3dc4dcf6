#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/scratch_process.h"

namespace minichat::test {

// A private PostgreSQL server on 127.0.0.1, with its data in a temporary folder.
//
// Lifetime:  one per test program: Shared(). Private ones for tests that stop it.
// Threading: confined to one thread.
// Errors:    throws when the server is there and doesn't start.
class ScratchPostgres {
 public:
  ScratchPostgres();
  ~ScratchPostgres();

  // Null: PostgreSQL isn't installed; then the caller must SKIP_WITHOUT_POSTGRES().
  static ScratchPostgres* Shared();
  static bool Installed();

  // The URL of a new, empty database.
  std::string NewDatabase();
  std::string UrlOf(const std::string& database) const;
  std::uint16_t port() const { return port_; }

  // Fast shutdown, as an operator's restart does; Start() with the same data and port.
  void Stop();
  void Start();
  void Signal(int signal) const { server_->Signal(signal); }
  // The server and all its backends, which are processes of their own.
  void SignalAll(int signal) const;
  // Runs SQL as the superuser, in `database`.
  void Execute(const std::string& database, const std::string& sql);

 private:
  std::string Tool(const std::string& name) const;
  bool Answers();

  ScratchDir dir_;
  std::string bin_;
  std::string user_;  // who the server runs as; empty: as we do
  std::uint16_t port_ = 0;
  int databases_ = 0;
  std::unique_ptr<ScratchProcess> server_;
};

}  // namespace minichat::test

// First line of a test that needs a server.
#define SKIP_WITHOUT_POSTGRES()                                                           \
  do {                                                                                    \
    if (!::minichat::test::ScratchPostgres::Installed()) {                                \
      if (::minichat::test::ServicesAreRequired()) FAIL() << "postgres is not installed"; \
      GTEST_SKIP() << "postgres is not installed";                                        \
    }                                                                                     \
  } while (false)
