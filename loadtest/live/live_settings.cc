#include "loadtest/live/live_settings.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>

namespace minichat::loadtest {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> kModes = {"bulk", "single", "stream"};

Status Refuse(std::string_view field, const std::string& rule) {
  return InvalidArgument(std::string(field) + ": " + rule);
}

Status ReadCount(const json::value& value, std::string_view name, std::size_t* count) {
  json::error_code ec;
  const auto number = value.is_number() ? value.to_number<std::size_t>(ec) : 0;
  if (!value.is_number() || ec) return Refuse(name, "a whole number");
  *count = number;
  return {};
}

Status ReadField(std::string_view name, const json::value& value, LiveChange* change) {
  LiveSettings& settings = change->settings;
  if (name == "members") return ReadCount(value, name, &settings.members);
  if (name == "talkers") return ReadCount(value, name, &settings.talkers);
  if (name == "rate") {
    if (!value.is_number()) return Refuse(name, "a number");
    settings.rate = value.to_number<double>();
    return {};
  }
  if (name == "running") {
    if (!value.is_bool()) return Refuse(name, "true or false");
    settings.running = value.get_bool();
    return {};
  }
  if (name == "mode") {
    const bool known =
        value.is_string() && std::find(kModes.begin(), kModes.end(),
                                       std::string_view(value.get_string())) != kModes.end();
    if (!known) return Refuse(name, "bulk, single or stream");
    change->mode = value.get_string().c_str();
    return {};
  }
  return Refuse(name, "unknown; there are members, talkers, rate, running and mode");
}

}  // namespace

std::string WhyNot(const LiveSettings& settings, std::size_t max_members) {
  if (settings.members < 1 || settings.members > max_members) {
    return "members: from 1 to " + std::to_string(max_members);
  }
  if (settings.talkers < 1 || settings.talkers > settings.members) {
    return "talkers: from 1 to as many as members (" + std::to_string(settings.members) + ")";
  }
  // Written so that what is no number at all is refused too.
  if (!(settings.rate > 0 && settings.rate <= kMaxLiveRate)) {
    return "rate: above 0, at most " + std::to_string(static_cast<int>(kMaxLiveRate));
  }
  return {};
}

Result<LiveChange> ParseLiveChange(std::string_view body, const LiveSettings& current,
                                   std::size_t max_members) {
  json::error_code ec;
  const json::value value = json::parse(body, ec);
  if (ec || !value.is_object()) return InvalidArgument("the body is no JSON object");
  LiveChange change{current, {}};
  for (const auto& [name, field] : value.get_object()) {
    if (const Status read = ReadField(name, field, &change); !read.ok()) return read;
  }
  const std::string why = WhyNot(change.settings, max_members);
  if (!why.empty()) return InvalidArgument(why);
  return change;
}

}  // namespace minichat::loadtest
