#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "server/base/status.h"

namespace minichat::transports {

// Named figures of one process, as it hands them to the one that started it: a flat JSON object.
//
// Threading: thread-compatible.
class Figures {
 public:
  // Counts must be below 2^53.
  void Set(const std::string& name, double value) { numbers_[name] = value; }
  void SetCount(const std::string& name, std::uint64_t count) {
    numbers_[name] = static_cast<double>(count);
  }
  void SetText(const std::string& name, std::string text) { texts_[name] = std::move(text); }

  // Not a number when it was not told: no comparison with it holds.
  double Get(const std::string& name) const;
  std::string GetText(const std::string& name) const;
  // The other's are added to these.
  void Merge(const Figures& other);

  std::string ToJson() const;
  static Result<Figures> FromJson(const std::string& text);

 private:
  std::map<std::string, double> numbers_;
  std::map<std::string, std::string> texts_;
};

}  // namespace minichat::transports
