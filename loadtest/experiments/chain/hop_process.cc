#include "loadtest/experiments/chain/hop_process.h"

#include <fstream>

#include "loadtest/experiments/chain/hop_flags.h"
#include "loadtest/experiments/chain/hop_program.h"

namespace minichat::lab {
namespace {

constexpr std::chrono::seconds kStartLimit{20};

}  // namespace

Status HopProcess::Start(const std::filesystem::path& dir) {
  const std::filesystem::path port_file = dir / (options_.name + ".port");
  std::filesystem::remove(port_file);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<std::string> command{program, kHopRole, port_file.string()};
  const std::vector<std::string> flags = ToFlags(options_);
  command.insert(command.end(), flags.begin(), flags.end());
  process_ = std::make_unique<test::ScratchProcess>(command, dir / (options_.name + ".log"));

  const auto listens_or_ended = [&] {
    return std::filesystem::exists(port_file) || !process_->running();
  };
  test::WaitFor(listens_or_ended, kStartLimit);
  int port = 0;
  if (!(std::ifstream(port_file) >> port)) {
    return Unavailable("hop " + options_.name + " does not listen");
  }
  std::filesystem::remove(port_file);
  address_ = "127.0.0.1:" + std::to_string(port);
  return {};
}

}  // namespace minichat::lab
