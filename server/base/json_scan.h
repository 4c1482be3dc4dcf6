#pragma once

#include <string_view>
#include <vector>

namespace minichat {

// A member of the outermost object: slices of the text, `key` without quotes and still escaped,
// `value` without the white space around it.
struct RawMember {
  std::string_view key;
  std::string_view value;
};

// The members of an object, in their order. `json` must be a valid JSON object: Boost.JSON has
// parsed it. This finds what a parsed tree no longer tells: the bytes of a value, repeated keys.
std::vector<RawMember> ScanMembers(std::string_view json);

// How many object members there are in a valid JSON value, at all depths, repeated keys included.
std::size_t CountMembers(std::string_view json);

// Is there an escape \u0000 in a string of a valid JSON value?
bool HasEscapedNul(std::string_view json);

}  // namespace minichat
