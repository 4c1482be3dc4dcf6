#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "loadtest/experiments/chain/hop_server.h"
#include "server/base/status.h"
#include "tests/support/scratch_process.h"

namespace minichat::lab {

// A service of the chain as a process of its own: this program, started once more (see
// hop_program.h). Its log goes to `dir`/NAME.log.
//
// Lifetime:  its end kills the process.
// Threading: confined to one thread.
class HopProcess {
 public:
  explicit HopProcess(HopOptions options) : options_(std::move(options)) {}

  // Starts it and waits until it listens.
  Status Start(const std::filesystem::path& dir);
  bool running() { return process_ != nullptr && process_->running(); }
  const std::string& address() const { return address_; }
  const HopOptions& options() const { return options_; }

 private:
  const HopOptions options_;
  std::string address_;
  std::unique_ptr<test::ScratchProcess> process_;
};

}  // namespace minichat::lab
