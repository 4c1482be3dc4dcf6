#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <unistd.h>

#include "server/app/commands.h"

namespace {

std::map<std::string, std::string> Environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return minichat::app::RunCommand({argv + 1, argv + argc}, Environment());
  } catch (const std::exception& e) {
    // Nothing is expected here: what the world causes is a Status.
    std::cerr << "minichat: " << e.what() << "\n";
    return EXIT_FAILURE;
  }
}
