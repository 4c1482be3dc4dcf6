#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "tests/support/scratch_process.h"

namespace minichat::test {

// The generator of this build, or MINICHAT_LOAD_BIN of the environment.
std::string LoadBinary();

// minichat-load as a process, with its report read from the file it writes.
//
// Lifetime:  its end kills the process.
// Threading: confined to the thread that made it.
class LoadProcess {
 public:
  // `arguments` besides --json and --label.
  LoadProcess(const ScratchDir& dir, std::vector<std::string> arguments);

  void Signal(int signal) { process_->Signal(signal); }
  // The exit code, once it has ended.
  int Wait() { return process_->Wait(); }
  // What it wrote to standard output and error.
  std::string Output() const { return ReadTail(log_); }
  // Null when it wrote none.
  boost::json::value Report() const;

 private:
  const std::filesystem::path log_;
  const std::filesystem::path json_;
  std::unique_ptr<ScratchProcess> process_;
};

}  // namespace minichat::test
