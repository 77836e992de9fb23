#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "aggregator/predict/computation/samples.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// What one run says of one phase group, summed over some of its ranks.
struct PhaseSum {
  double time = 0;
  /// Of `time`.
  double variance = 0;
  /// By event, without the PMU in front.
  std::map<std::string, double> counts;
  /// Events that a rank could not count.
  std::set<std::string> unknown;

  /// NaN: the rank could not count it.
  void add(const std::string& event, double count);
};

/// By the group's id.
using SumsByGroup = std::map<std::uint64_t, PhaseSum>;

/// Stands for what lies outside the groups that are told apart.
inline constexpr std::uint64_t kRest = 0;

/// The groups that take a large enough share of the computing time in every profile.
std::set<std::uint64_t> groups_told_apart(const std::vector<const Profile*>& profiles,
                                          const SampleOptions& options);

/// The sums over `ranks`, entries of the profile's rank records.
SumsByGroup sums_of(const Profile& profile, const std::vector<std::uint32_t>& ranks,
                    const std::set<std::uint64_t>& told_apart);

}  // namespace huddle
