#include "tests/sim/sim_options.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "tests/sim/timeline.h"

namespace minichat::sim {
namespace {

struct NamedRule {
  std::string_view name;
  bool core::ProtocolRules::*member;
};

constexpr NamedRule kRules[] = {
    {"first", &core::ProtocolRules::first},
    {"raised", &core::ProtocolRules::raised},
    {"roomgen", &core::ProtocolRules::roomgen},
    {"dgen", &core::ProtocolRules::dgen},
    {"nodegen", &core::ProtocolRules::nodegen},
    {"beatgen", &core::ProtocolRules::beatgen},
    {"relaygen", &core::ProtocolRules::relaygen},
    {"missgen", &core::ProtocolRules::missgen},
    {"readgen", &core::ProtocolRules::readgen},
    {"ringgen", &core::ProtocolRules::ringgen},
    {"floor", &core::ProtocolRules::floor},
    {"fence", &core::ProtocolRules::fence},
    {"lease", &core::ProtocolRules::lease},
    {"warmcur", &core::ProtocolRules::warmcur},
    {"warmgen", &core::ProtocolRules::warmgen},
    {"doubt", &core::ProtocolRules::doubt},
    {"monotone", &core::ProtocolRules::monotone},
    {"stillcold", &core::ProtocolRules::stillcold},
    {"prevpg", &core::ProtocolRules::prevpg},
    {"sweepwarm", &core::ProtocolRules::sweepwarm},
    {"replace", &core::ProtocolRules::replace},
    {"young", &core::ProtocolRules::young},
    {"pgknown", &core::ProtocolRules::pgknown},
    {"suppress", &core::ProtocolRules::suppress},
    {"fresh", &core::ProtocolRules::fresh},
    {"allgens", &core::ProtocolRules::allgens},
    {"sincejoin", &core::ProtocolRules::sincejoin},
    {"oldexp", &core::ProtocolRules::oldexp},
    {"uhash", &core::ProtocolRules::uhash},
    {"both", &core::ProtocolRules::both},
    {"ownplace", &core::ProtocolRules::ownplace},
    {"recgen", &core::ProtocolRules::recgen},
    {"skipfence", &core::ProtocolRules::skipfence},
    {"early", &core::ProtocolRules::early},
    {"joinonce", &core::ProtocolRules::joinonce},
    {"oldop", &core::ProtocolRules::oldop},
    {"hungsend", &core::ProtocolRules::hungsend},
    {"resend", &core::ProtocolRules::resend},
    {"newlook", &core::ProtocolRules::newlook},
    {"redisfirst", &core::ProtocolRules::redisfirst},
    {"misstime", &core::ProtocolRules::misstime},
    {"latereply", &core::ProtocolRules::latereply},
    {"connreply", &core::ProtocolRules::connreply},
    {"uknown", &core::ProtocolRules::uknown},
    {"lowtrim", &core::ProtocolRules::lowtrim},
    {"markseq", &core::ProtocolRules::markseq},
    {"janu", &core::ProtocolRules::janu},
    {"sweepcur", &core::ProtocolRules::sweepcur},
    {"toprow", &core::ProtocolRules::toprow},
    {"winfirst", &core::ProtocolRules::winfirst},
    {"routesttl", &core::ProtocolRules::routesttl},
    {"rereg", &core::ProtocolRules::rereg},
    {"nameready", &core::ProtocolRules::nameready},
    {"markfirst", &core::ProtocolRules::markfirst},
    {"ackrep", &core::ProtocolRules::ackrep},
};

}  // namespace

core::NodeOptions NodeOptionsOf(const SimOptions& options) {
  const SimTimes& times = options.times;
  core::NodeOptions node;
  node.directory.dedup_ttl = Seconds(times.dedup);
  node.directory.room_ttl = Seconds(times.room_ttl);
  node.directory.window_events = 12;
  node.directory.generation_step = core::Seq{1} << 20;
  node.operation = std::min(node.operation, Seconds(times.dedup / 3));
  node.log_wait = std::min(node.log_wait, Seconds(times.dedup / 4));
  node.ring_events = 12;
  node.page = kPage;
  node.janitor_age = Seconds(times.janitor_age);
  node.rules = options.rules;
  return node;
}

std::string Show(core::Seq seq) {
  const core::Seq step = core::Seq{1} << 20;
  if (seq <= step) return std::to_string(seq);
  return std::to_string((seq - 1) / step + 1) + ":" + std::to_string((seq - 1) % step + 1);
}

bool SwitchOff(const std::string& names, core::ProtocolRules* rules) {
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                    [&](const NamedRule& r) { return r.name == name; });
    if (rule == std::end(kRules)) return false;
    rules->*(rule->member) = false;
  }
  return true;
}

std::vector<std::string> RuleNames() {
  std::vector<std::string> names;
  for (const NamedRule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

bool FindLie(const std::string& name, Lie* lie) {
  static constexpr std::pair<std::string_view, Lie> kLies[] = {
      {"report-unlogged", Lie::kReportUnlogged},
      {"forget-ids", Lie::kForgetIds},
      {"swap-deliveries", Lie::kSwapDeliveries},
      {"hide-head", Lie::kHideHead},
      {"skip-on-resume", Lie::kSkipOnResume},
      {"lose-rows", Lie::kLoseRows},
      {"hide-node", Lie::kHideNode},
      {"drop-notices", Lie::kDropNotices},
  };
  for (const auto& [known, value] : kLies) {
    if (known == name) *lie = value;
  }
  return *lie != Lie::kNone;
}

}  // namespace minichat::sim
