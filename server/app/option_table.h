#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/app/option.h"

namespace minichat::app {

// All options of minichat, in the order of the document.
//
// Threading: immutable.
class OptionTable {
 public:
  OptionTable();

  const std::vector<Option>& options() const { return options_; }
  // Null when there is no such key.
  const Option* Find(std::string_view key) const;
  // Is `key` the beginning of dotted keys ("relay" of "relay.mode")?
  bool IsSection(std::string_view key) const;
  // "unknown key … (did you mean …?)"
  Status UnknownKey(std::string_view key) const;

 private:
  std::vector<Option> options_;
};

}  // namespace minichat::app
