#include <cstdio>

#include "loadtest/live/live_program.h"
#include "loadtest/load_program/load_program.h"

int main(int argc, char** argv) {
  using minichat::loadtest::LoadExit;
  const auto command = minichat::loadtest::ParseLoadCommand({argv + 1, argv + argc});
  if (!command.ok()) {
    std::fprintf(stderr, "minichat-load: %s\n", command.status().message().c_str());
    return static_cast<int>(LoadExit::kUsage);
  }
  if (command->help) {
    std::fputs(minichat::loadtest::LoadUsage().c_str(), stdout);
    return 0;
  }
  if (command->version) {
    std::puts("minichat-load " MINICHAT_VERSION);
    return 0;
  }
  return static_cast<int>(command->control ? minichat::loadtest::RunLive(*command)
                                           : minichat::loadtest::RunLoad(*command));
}
