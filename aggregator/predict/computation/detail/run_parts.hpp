#pragma once

// Division of runs into samples: which ranks of a run are a sample of which pattern, and the sums
// over those ranks of each phase group.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::predict {

/// Ranks of one run that all shared alike.
struct RunPart {
  const Profile* run = nullptr;
  Pattern pattern;
  /// Entries of the run's rank records, ascending; all of them if the whole run was on `pattern`.
  std::vector<std::uint32_t> ranks;
  /// A run of the same program whose ranks all shared alike, which shows how much of the program's
  /// work these ranks do. Null if they are all ranks, or if there is no such run.
  const Profile* baseline = nullptr;
};

/// Divides runs into the parts that are samples of patterns. A run whose nodes are filled in
/// different ways is a sample of each of these patterns, if another run shows what its ranks do
/// when all share alike; else it counts as on the pattern that covers all of its nodes. Profiles
/// are complete, of one number of ranks, and outlive the parts. Throws UsageError if one does not
/// fit on a node.
std::vector<RunPart> parts_of(const std::vector<const Profile*>& profiles,
                              const commgraph::NodeTopology& node);

/// Standard error of a part's mean time relative to its baseline, as its ranks differ in it; 0 of a
/// whole run.
double spread_of(const RunPart& part);

/// Times and counts of one phase group in one run, summed over some of its ranks.
struct PhaseSum {
  double time = 0;
  /// Variance of `time`.
  double variance = 0;
  /// Counts by event, without the PMU in front.
  std::map<std::string, double> counts;
  /// Events that a rank could not count.
  std::set<std::string> unknown;
  /// Cycles of the passes that were counted, and the wall time of these, time inside MPI included.
  double cycles = 0;
  double cycles_time = 0;

  /// NaN: the rank could not count it.
  void add(const std::string& event, double count);
};

/// Sums by the group's id.
using SumsByGroup = std::map<std::uint64_t, PhaseSum>;

/// Stands for what lies outside the separate groups.
inline constexpr std::uint64_t kRest = 0;

/// The groups that take a large enough share of the computing time in every profile.
std::set<std::uint64_t> separate_groups(const std::vector<const Profile*>& profiles,
                                        const SampleOptions& options);

/// The sums over `ranks`, entries of the profile's rank records.
SumsByGroup sums_of(const Profile& profile, const std::vector<std::uint32_t>& ranks,
                    const std::set<std::uint64_t>& separate);

}  // namespace huddle::predict
