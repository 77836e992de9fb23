#include "aggregator/balance/profile_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {
namespace {

/// Each rank's share of the program's time counts once, whatever rank it is.
std::uint64_t iterations_of(const Profile& profile) {
  std::map<std::uint64_t, double> time_by_count;
  for (const RankRecord& record : profile.rank_records)
    for (const PhaseRecord& phase : record.phases)
      time_by_count[phase.count] += phase.mean.value * static_cast<double>(phase.count);
  const auto most =
      std::max_element(time_by_count.begin(), time_by_count.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == time_by_count.end() ? 0 : most->first;
}

/// Variance of a rank's iteration: phases vary for themselves.
double variance_of(const RankRecord& record, double iterations) {
  double sum = 0;
  for (const PhaseRecord& phase : record.phases)
    sum += phase.variance_s2 * static_cast<double>(phase.count) / iterations;
  return sum;
}

}  // namespace

ProfileLoads loads_of_profile(const Profile& profile, std::uint64_t most_iterations) {
  if (!profile.complete || profile.rank_records.empty())
    throw Error(
        "the profile is not complete: loads of all ranks are needed; measure a run to its end");
  const std::uint64_t iterations = iterations_of(profile);
  if (iterations == 0)
    throw Error(
        "the profile has no phases, so that nothing is known of iterations; expected: one that the "
        "recorder of this version made (huddle record)");
  ProfileLoads loads;
  LoadTable& table = loads.table;
  table.processors = profile.ranks;
  const auto simulated = static_cast<std::size_t>(std::min(iterations, most_iterations));
  const auto all = static_cast<double>(iterations);
  loads.repeats = all / static_cast<double>(simulated);

  std::vector<double> means;
  std::vector<double> deviations;
  double longest = -1;
  for (const RankRecord& record : profile.rank_records) {
    table.processor_of.push_back(record.rank.value);
    means.push_back(std::max(0.0, record.computation_time().value) / all);
    deviations.push_back(std::sqrt(variance_of(record, all)));
    if (means.back() > longest) {
      longest = means.back();
      loads.besides = record.mpi_time * (1 / all);
    }
  }
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  table.loads.reserve(simulated * means.size());
  for (std::size_t iteration = 0; iteration < simulated; ++iteration)
    for (std::size_t rank = 0; rank < means.size(); ++rank)
      table.loads.push_back(std::max(0.0, means[rank] + deviations[rank] * normal(random)));
  table.notes.push_back(
      fmt::format("the profile's phases make {} iterations; how ranks differ from one to the next "
                  "is drawn from "
                  "their variances, each rank for itself",
                  iterations));
  if (simulated < iterations)
    table.notes.push_back(fmt::format("{} of them are simulated, and stand for all", simulated));
  return loads;
}

}  // namespace huddle::balance
