#include "tests/support/load_process.h"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace minichat::test {
namespace {

std::string NextName() {
  static std::atomic<int> runs = 0;
  return "load" + std::to_string(++runs);
}

std::vector<std::string> CommandFor(const std::string& json, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {LoadBinary(), "--json", json});
  return arguments;
}

}  // namespace

std::string LoadBinary() {
  const char* binary = std::getenv("MINICHAT_LOAD_BIN");
  return binary != nullptr ? binary : MINICHAT_DEFAULT_LOAD_BIN;
}

LoadProcess::LoadProcess(const ScratchDir& dir, std::vector<std::string> arguments)
    : log_(dir.path() / NextName()),
      json_(log_.string() + ".json"),
      process_(std::make_unique<ScratchProcess>(CommandFor(json_, std::move(arguments)), log_)) {}

boost::json::value LoadProcess::Report() const {
  std::ifstream file(json_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  boost::json::error_code ec;
  boost::json::value report = boost::json::parse(text, ec);
  return ec ? boost::json::value() : report;
}

}  // namespace minichat::test
