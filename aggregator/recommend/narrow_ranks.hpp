#pragma once

// Ranks of several cores that get fewer than they asked for, since a run showed that their teams
// need no more: the teams keep their size and run bound to fewer cores, so that more ranks fit on a
// node.

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/predict/pattern/reference.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// What ranks take on fewer cores.
struct NarrowRanks {
  /// How many cores each rank has, a divisor of those that it had.
  std::uint32_t cores = 0;
  /// By rank: its computation on these cores as a share of what it took on all of its own. Code
  /// outside of regions counts as it was.
  std::vector<double> stretch;
  /// By what share of itself a stretch may be too low, of all ranks the most; 95 % are no longer.
  double error = 0;
};

/// The numbers of cores on which a run measured next to all passes of next to all regions, by time,
/// of all ranks, where one that tried none has what the others took (what was not measured is at
/// most 2 % of a rank's computation, and counts as if each core had to do the work of several in
/// turn; passes that the run itself acted on count as they would have been as started); most cores
/// first. `profile`: complete, of ranks with `cores` cores each. Empty as well
/// where a team has another size than 1 or `cores`: only such teams have the size that their
/// runtime gives them if OMP_NUM_THREADS is set to `cores`.
std::vector<NarrowRanks> narrow_ranks_of(const Profile& profile, std::uint32_t cores);

/// The run of `profile`, whose ranks had `cores` cores each of such a node, as it would have been
/// with each rank on the first of its cores only: all others wait for the one that then computes
/// longest. Without what no longer holds (counters, regions, moved ranks, a trace's slack).
Profile narrowed(const Profile& profile, const NarrowRanks& narrow, std::uint32_t cores,
                 const NodeTopology& node);

/// What patterns of such ranks come to.
struct NarrowStudy {
  NarrowRanks ranks;
  /// Of all patterns. Its reference is `wide`'s: times, slowdowns and energies can be compared.
  Recommendation recommendation;
  /// Of the chosen pattern, for ranks that ask for `wide`'s cores; `made_from` and what else is the
  /// caller's to fill in is empty.
  Plan plan;
};

/// The best plan of narrow ranks by the runs of `profiles`, if it uses fewer nodes than `wide`'s
/// reference, is within the bound with the stretch's error added to it, and serves the objective
/// better than the pattern that is chosen in `wide` (by 1 % of energy, or by fewer nodes where that
/// is unknown). Frequencies are left alone, and no model is asked: it was trained on ranks of one
/// core. Patterns that nothing covers may be chosen, unless `options` want covered ones only, as
/// far as their interval keeps the bound, but the plan is then a trial. Nothing for least time.
/// `wide`: the recommendation of `recommender` for `profiles` with `reference` and `options`.
/// `node`: the machine's topology.
std::optional<NarrowStudy> study_narrow_ranks(const std::vector<Profile>& profiles,
                                              const std::vector<NarrowRanks>& ranks,
                                              const Recommender& recommender,
                                              const NodeTopology& node, const Recommendation& wide,
                                              const RecommendationOptions& options);

/// Of a plan for narrow ranks, for the end of its reason: "each rank on 2 of its 4 cores".
std::string narrow_text(const Plan& plan);

}  // namespace huddle
