#pragma once

#include <optional>
#include <string>

#include "server/app/app_config.h"

namespace minichat::app {

// A key whose value doesn't fit another's.
struct BrokenRule {
  std::string key;
  std::string what;  // wrong with it, without the key
};

// What one key says must fit the others: no open doors off loopback, no cluster whose nodes can't
// find each other. The first rule that is broken, if any.
std::optional<BrokenRule> FindBrokenRule(const AppConfig& config);

// auth.insecure where other machines can connect.
bool InsecureForOthers(const AppConfig& config);
// Is there something for the pool of lab.executor.* to do?
bool UsesLabPool(const AppConfig& config);
// Can messages be relayed by streams? The lab's switches for unary calls don't fit them.
bool CanStream(const AppConfig& config);

}  // namespace minichat::app
