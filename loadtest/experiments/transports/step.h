#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minichat::transports {

enum class Transport {
  kHttpPerCall,  // HTTP/1.1 and JSON, a connection for each call
  kHttpPool,     // the same on connections that are kept alive
  kGrpc,         // unary calls on one channel
};

// One way to do the same work. A worker is a thread that takes one thing, does it to its end, and
// takes the next; without workers a side is asynchronous.
struct Step {
  std::string name;
  std::string title;
  std::string original = {};  // what the original saw at this step; empty: it had no such step
  Transport transport = Transport::kGrpc;
  std::size_t caller_workers = 0;
  std::size_t stock_workers = 0;
  bool one_call = false;  // take, instead of get, check and update
};

// All that the experiment compares, in the order in which the original went through them; what it
// did not have comes last.
const std::vector<Step>& AllSteps();
// Null when there is none of that name.
const Step* FindStep(std::string_view name);

// The keep-alive pool: so many connections to one service, of 100 to all services together. There
// is one service here.
inline constexpr std::size_t kPoolConnections = 20;

std::size_t CallsPerTake(const Step& step);

}  // namespace minichat::transports
