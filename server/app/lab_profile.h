#pragma once

#include <string_view>
#include <vector>

namespace minichat::app {

// One key of a profile and the text of its value.
struct ProfileValue {
  std::string_view key;
  std::string_view value;
};

// What lab.profile stands for: values of other keys, which count where these are not given
// themselves. Empty for "none".
const std::vector<ProfileValue>& ValuesOfProfile(std::string_view profile);

}  // namespace minichat::app
