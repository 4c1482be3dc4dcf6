// minichat-lab-hot-spots: other places where chat backends get slow, each in the slow way and in
// better ones.
#include <cstdio>

#include "loadtest/experiments/hot_spots/lookup_spot.h"
#include "loadtest/experiments/hot_spots/postgres_spots.h"
#include "loadtest/experiments/hot_spots/room_spot.h"
#include "loadtest/experiments/hot_spots/spots_report.h"
#include "loadtest/experiments/hot_spots/token_spot.h"
#include "loadtest/report/experiment_main.h"

namespace {

using namespace minichat;  // NOLINT(google-build-using-namespace)

constexpr const char* kLookup = "look-up";
constexpr const char* kToken = "token";
constexpr const char* kPostgres = "postgres";
constexpr const char* kRooms = "rooms";

using Measured = Result<std::vector<lab::SpotResult>>;

Measured OneOf(Result<lab::SpotResult> result) {
  if (!result.ok()) return result.status();
  return std::vector<lab::SpotResult>{std::move(result).value()};
}

Measured MeasurePart(const std::string& part, const lab::SpotPlan& plan) {
  if (part == kLookup) return OneOf(MeasureLookup(plan));
  if (part == kToken) return OneOf(MeasureToken(plan));
  if (part == kPostgres) return MeasurePostgres(plan);
  return OneOf(MeasureRooms(plan));
}

Result<report::ReportDocument> Run(const report::ExperimentOptions& options) {
  const lab::SpotPlan plan = options.quick ? lab::SpotPlan::Quick() : lab::SpotPlan::Full();
  std::vector<lab::SpotResult> results;
  for (const char* part : {kLookup, kToken, kPostgres, kRooms}) {
    if (!options.Wants(part)) continue;
    std::fprintf(stderr, "hot-spots: %s\n", part);
    auto measured = MeasurePart(part, plan);
    if (!measured.ok()) return measured.status();
    for (lab::SpotResult& result : *measured) results.push_back(std::move(result));
  }
  const Status raw = report::WriteRawData(options.out, "rounds.json", RawDataOf(results));
  if (!raw.ok()) return raw;
  return ReportOf(results);
}

}  // namespace

int main(int argc, char** argv) {
  return report::ExperimentMain(
      {argv + 1, argv + argc},
      "minichat-lab-hot-spots: other places where chat backends get slow.\n",
      {kLookup, kToken, kPostgres, kRooms}, Run);
}
