#pragma once

#include <compare>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

namespace minichat {

// A string that can't be mistaken for another kind of id.
//
// Threading: as std::string.
template <class Tag>
class StrongId {
 public:
  StrongId() = default;
  explicit StrongId(std::string value) : value_(std::move(value)) {}

  const std::string& value() const { return value_; }
  bool empty() const { return value_.empty(); }

  auto operator<=>(const StrongId&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const StrongId& id) {
    return out << id.value_;
  }

 private:
  std::string value_;
};

}  // namespace minichat

template <class Tag>
struct std::hash<minichat::StrongId<Tag>> {
  std::size_t operator()(const minichat::StrongId<Tag>& id) const noexcept {
    return std::hash<std::string>()(id.value());
  }
};
