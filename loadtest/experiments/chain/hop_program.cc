#include "loadtest/experiments/chain/hop_program.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "loadtest/experiments/chain/hop_flags.h"

namespace minichat::lab {
namespace {

constexpr int kCannotRun = 2;

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return kCannotRun;
}

// Moved into place, so that who waits for the file never reads half of it.
void TellPort(const std::string& file, int port) {
  const std::string draft = file + ".new";
  std::ofstream(draft) << port << '\n';
  std::filesystem::rename(draft, file);
}

}  // namespace

int RunHop(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Fail(InvalidArgument("hop: no file for the port"));
  // Before any thread starts: all inherit it, and only the wait below takes the signal.
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &terminate, nullptr);

  const auto options = ParseHopFlags({arguments.begin() + 1, arguments.end()});
  if (!options.ok()) return Fail(options.status());
  HopServer server(*options);
  if (const Status started = server.Start(); !started.ok()) return Fail(started);
  TellPort(arguments.front(), server.port());
  int signal = 0;
  sigwait(&terminate, &signal);
  return 0;
}

std::optional<int> RunHopIfAsked(int argc, char** argv) {
  if (argc < 2 || std::string(argv[1]) != kHopRole) return std::nullopt;
  return RunHop({argv + 2, argv + argc});
}

}  // namespace minichat::lab
