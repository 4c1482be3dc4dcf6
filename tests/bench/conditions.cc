#include "tests/bench/conditions.h"

namespace minichat::bench {
namespace {

const Condition kFloor{"floor", "", true};
const Condition kSingle{"single", "single", true};
const Condition kBulk{"bulk", "bulk", true};
const Condition kStream{"stream", "stream", true};
const Condition kBulkApart{"bulk, uncoalesced", "bulk", false};

loadtest::LoadPace Open(double rate) {
  return {.rate = rate};
}
loadtest::LoadPace Closed(std::size_t in_flight) {
  return {.in_flight = in_flight};
}

}  // namespace

std::vector<Group> AllGroups() {
  return {
      {"modes-50",
       "50 messages/s to 150 members, stored",
       true,
       150,
       Open(50),
       {kFloor, kBulk, kStream, kSingle}},
      {"modes-500",
       "500 messages/s to 150 members, stored",
       true,
       150,
       Open(500),
       {kFloor, kBulk, kStream}},
      {"large-room",
       "20 messages/s to 900 members, stored",
       true,
       900,
       Open(20),
       {kFloor, kBulk, kStream}},
      {"closed-64-stored",
       "64 messages in flight to 150 members, stored",
       true,
       150,
       Closed(64),
       {kBulk, kStream}},
      {"closed-64-memory",
       "64 messages in flight to 150 members, log and store in memory",
       false,
       150,
       Closed(64),
       {kBulk, kStream, kBulkApart}},
      {"closed-8-memory",
       "8 messages in flight to 150 members, log and store in memory",
       false,
       150,
       Closed(8),
       {kBulk, kStream, kBulkApart}},
      {"modes-50-memory",
       "50 messages/s to 150 members, log and store in memory",
       false,
       150,
       Open(50),
       {kFloor, kBulk, kStream, kSingle, kBulkApart}},
  };
}

}  // namespace minichat::bench
