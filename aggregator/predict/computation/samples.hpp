#pragma once

// The computation of a program's phase groups on the patterns that it was run on, gathered from its
// profiles.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::predict {

/// A sample of one phase group of a program on one pattern, averaged over the ranks (task
/// aggregation, section III: the IPC of a pattern is the average over its tasks).
struct PhaseSample {
  Pattern pattern;
  /// Wall time of all passes outside MPI, mean over the ranks; above 0.
  Seconds time;
  /// Standard error of `time` as a share of it.
  double relative_error = 0;
  /// Hardware events of all passes, mean over the ranks, by name without the PMU in front. Empty if
  /// none were counted; an event that was on no counter on some rank is not there.
  std::map<std::string, double> counts;
  /// Cycles over the wall time in which they were counted, in Hz: of the cores while they computed
  /// and polled. `counts` over `time` is not that, since they hold what was counted inside MPI.
  std::optional<double> clock = {};

  /// Instructions per cycle, weighted by cycles over ranks and passes; nothing without both events.
  [[nodiscard]] std::optional<double> ipc() const;
  /// Occurrences of `event` per cycle; nothing if it or the cycles were not counted.
  [[nodiscard]] std::optional<double> rate(std::string_view event) const;

  friend bool operator==(const PhaseSample&, const PhaseSample&) = default;
};

/// One phase group on every pattern that it was measured on.
struct PhaseGroupSamples {
  /// Name for people of what lies between its delimiters; "everything" for a whole run, "the rest"
  /// for what lies outside the phases that are distinguished.
  std::string name;
  /// Ascending by pattern, none twice.
  std::vector<PhaseSample> samples;

  friend bool operator==(const PhaseGroupSamples&, const PhaseGroupSamples&) = default;
};

/// Samples of one program with one input on one number of ranks; on any number of them, if it
/// scales weakly.
struct ProgramSamples {
  /// The name under which it is left out of a fit as one program.
  std::string program;
  /// Program, arguments and number of ranks: profiles of one case are samples of one thing.
  std::string run;
  /// Groups by falling time; every group was measured on the same patterns.
  std::vector<PhaseGroupSamples> groups;
  /// Sentences for people on what is missing, or why to trust them less.
  std::vector<std::string> notes;
  /// 1, or how many times wider an interval should be because samples contradict each other.
  double doubt = 1;
  /// True if every group has instructions, cycles and at least one more event.
  bool has_events = false;

  /// The patterns that it was measured on, ascending.
  [[nodiscard]] std::vector<Pattern> patterns() const;
  /// Time of all groups on a pattern; 0 if it was not measured on it.
  [[nodiscard]] Seconds time_on(const Pattern& pattern) const;
  /// The same, as far as it was measured on `wanted`.
  [[nodiscard]] ProgramSamples only_on(const std::vector<Pattern>& wanted) const;
  /// The same without hardware events.
  [[nodiscard]] ProgramSamples times_only() const;
};

struct SampleOptions {
  /// A phase group with a smaller share of the computing time counts to the rest.
  double least_share = 0.05;
  /// At most so many groups are distinguished.
  std::size_t most_groups = 8;
  /// True if a program that spends no time outside MPI is accepted; it has no groups.
  bool may_only_communicate = false;
};

/// The samples of one program: `profiles` are complete runs of it on nodes of one topology, with
/// one number of ranks, or ones that say that it scales weakly. Runs on one pattern are averaged;
/// where they differ by more than 10 %, a note says so and `doubt` grows; so it does for profiles
/// with PUs that the nodes lack. Without phases (or where the profiles do not share them) the whole
/// run is one group. A run whose nodes are filled in different ways is a sample of each
/// (run_parts.hpp).
///
/// Throws UsageError if there is no profile, one is cut short, has no computing time, or another
/// number of ranks than the first, or does not fit on a node.
ProgramSamples samples_of_program(const std::vector<const Profile*>& profiles,
                                  const commgraph::NodeTopology& node,
                                  const SampleOptions& options = {});

/// Sorts profiles into programs (by label and executable, then arguments and number of ranks, which
/// does not count where a program scales weakly) and makes samples of each. Throws as
/// samples_of_program().
std::vector<ProgramSamples> samples_of_programs(const std::vector<Profile>& profiles,
                                                const commgraph::NodeTopology& node,
                                                const SampleOptions& options = {});

}  // namespace huddle::predict
