#include "server/app/lab_profile.h"

namespace minichat::app {
namespace {

using Values = std::vector<ProfileValue>;

// Each recipient is a task of a thread pool whose threads block, calls end after half a minute,
// and nobody looks after order or loss.
const Values kClassic = {
    {"lab.dispatch", "pool"},
    {"lab.deadline", "fixed"},
    {"lab.fixed_deadline", "30s"},
    {"lab.local", "per_recipient"},
    {"lab.repair", "off"},
    {"lab.executor.core", "30"},
    {"lab.executor.max", "200"},
    {"lab.executor.queue", "1000"},
    {"lab.executor.overflow", "caller_runs"},
};

// minichat as it is. Named, so that an experiment can say both sides of a comparison.
const Values kModern = {
    {"lab.dispatch", "async"}, {"lab.deadline", "propagate"}, {"lab.local", "batched"},
    {"lab.repair", "on"},      {"lab.coalesce", "true"},
};

const Values kNone;

}  // namespace

const std::vector<ProfileValue>& ValuesOfProfile(std::string_view profile) {
  if (profile == "classic") return kClassic;
  return profile == "modern" ? kModern : kNone;
}

}  // namespace minichat::app
