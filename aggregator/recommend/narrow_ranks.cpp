#include "aggregator/recommend/narrow_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "aggregator/predict/pattern/rank_shape.hpp"
#include "aggregator/recommend/detail/pattern_study.hpp"
#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/teams/tried_passes.hpp"

namespace huddle {
namespace {

// Nobody has measured better than this.
constexpr double kLeastStretchError = 0.01;
// Of the distribution of a mean's error, one-sided 95 %.
constexpr double kOneSided = 1.645;
// What share of a rank's computation may have been measured on no fewer cores.
constexpr double kMostUnmeasured = 0.02;
// Less is not worth another layout.
constexpr double kLeastEnergyGain = 0.01;

/// What was measured of a region on fewer cores, as a share of its usual time.
struct Ratio {
  double weight = 0;  // passes
  double mean = 0;
  double variance = 0;

  void add(const PackedRegionRecord& record) {
    const auto passes = static_cast<double>(record.passes);
    const double usual = record.usual_mean.value;
    const double ratio = record.mean.value / usual;
    const double own = record.passes > 1 ? record.variance_s2 : record.usual_variance_s2;
    // Of a ratio of two means, to first order.
    const double relative =
        own / (passes * record.mean.value * record.mean.value) +
        record.usual_variance_s2 / (static_cast<double>(record.usual_passes) * usual * usual);
    const double share = passes / (weight + passes);
    mean += share * (ratio - mean);
    variance = (1 - share) * (1 - share) * variance + share * share * ratio * ratio * relative;
    weight += passes;
  }
};

using RatioByRegion = std::map<std::uint64_t, Ratio>;

// Cores of one package only: so a rank's are when there are few of them.
void add_measured(const RankRecord& rank, std::uint32_t team, std::uint32_t cores,
                  RatioByRegion& ratios) {
  for (const PackedRegionRecord& record : rank.packed_regions)
    if (record.team == team && record.cores == cores && record.packages == 1 && record.passes > 0 &&
        record.usual_passes > 0 && record.usual_mean > Seconds{0} && record.mean > Seconds{0})
      ratios[record.region].add(record);
}

// Of regions of which the run acted on passes: as what share of their time they would have taken as
// the program was started.
std::map<std::uint64_t, double> shares_as_started(const RankRecord& rank) {
  std::map<std::uint64_t, double> shares;
  for (const PackedRegionRecord& record : rank.packed_regions)
    if (record.acted_passes > 0) shares[record.region] = 1;
  for (auto& [region, share] : shares) share = share_as_started(rank, region);
  return shares;
}

/// One rank's computation on fewer cores.
struct RankStretch {
  double stretch = 1;
  double error = 0;       // of the stretch, as a share of it
  double unmeasured = 0;  // as a share of the rank's computation
};

RankStretch stretch_of(const RankRecord& rank, std::uint32_t team, std::uint32_t cores,
                       const RatioByRegion& of_all) {
  RatioByRegion own;
  add_measured(rank, team, cores, own);
  const std::map<std::uint64_t, double> as_started = shares_as_started(rank);
  double in_regions = 0;
  double as_it_ran = 0;
  double added = 0;
  double unmeasured = 0;
  double deviation = 0;
  for (const OpenMpRegionRecord& region : rank.openmp_regions) {
    const auto share = as_started.find(region.region);
    const double ran = region.mean.value * static_cast<double>(region.passes);
    const double time = share == as_started.end() ? ran : ran * share->second;
    as_it_ran += ran;
    in_regions += time;
    if (region.largest_team == 1) continue;
    auto found = own.find(region.region);
    if (found == own.end()) {
      found = of_all.find(region.region) == of_all.end()
                  ? own.end()
                  : own.emplace(*of_all.find(region.region)).first;
    }
    if (found == own.end()) {
      unmeasured += time;
      added += time * (static_cast<double>(team) / cores - 1);
      continue;
    }
    added += time * (found->second.mean - 1);
    deviation += time * std::sqrt(found->second.variance);
  }
  RankStretch result;
  const double all = std::max(rank.computation_time().value + (in_regions - as_it_ran), in_regions);
  if (!(all > 0)) return result;
  result.stretch = 1 + added / all;
  result.unmeasured = unmeasured / all;
  result.error = std::max(kLeastStretchError, kOneSided * deviation / all / result.stretch);
  return result;
}

// Whether each team keeps its size where OMP_NUM_THREADS is `cores`.
bool teams_are_all(const Profile& profile, std::uint32_t cores) {
  bool any = false;
  for (const RankRecord& rank : profile.rank_records)
    for (const OpenMpRegionRecord& region : rank.openmp_regions) {
      if (region.smallest_team != region.largest_team) return false;
      if (region.largest_team != 1 && region.largest_team != cores) return false;
      any = any || region.largest_team == cores;
    }
  return any;
}

std::optional<NarrowRanks> ranks_on(const Profile& profile, std::uint32_t team,
                                    std::uint32_t cores) {
  RatioByRegion of_all;
  for (const RankRecord& rank : profile.rank_records) add_measured(rank, team, cores, of_all);
  if (of_all.empty()) return std::nullopt;
  NarrowRanks ranks{cores, std::vector<double>(profile.ranks, 1.0), 0};
  for (const RankRecord& rank : profile.rank_records) {
    const RankStretch of_rank = stretch_of(rank, team, cores, of_all);
    if (of_rank.unmeasured > kMostUnmeasured) return std::nullopt;
    ranks.stretch[rank.rank.value] = of_rank.stretch;
    ranks.error = std::max(ranks.error, of_rank.error);
  }
  return ranks;
}

// The first `wanted` of its cores; all that it had if these are not `cores`, as of ranks that were
// free to run anywhere.
PuSet first_cores(const RankRecord& rank, std::uint32_t cores, std::uint32_t wanted,
                  const NodeTopology& node) {
  PuSet first;
  std::uint32_t had = 0;
  for (const NodeTopology::Core& core : node.cores) {
    bool own = false;
    for (const std::uint32_t pu : core.pus.members()) own = own || rank.pus.contains(pu);
    if (!own || had++ >= wanted) continue;
    for (const std::uint32_t pu : core.pus.members()) first.add(pu);
  }
  return had == cores ? first : rank.pus;
}

void stretch_phases(std::vector<PhaseRecord>& phases, double stretch) {
  for (PhaseRecord& phase : phases) {
    for (Seconds* time : {&phase.mean, &phase.shortest, &phase.longest}) time->value *= stretch;
    phase.variance_s2 *= stretch * stretch;
    phase.counted = 0;
    phase.counted_time = {};
    phase.counts.clear();
  }
}

// What a recorder saw that would not be so any more.
void forget_details(RankRecord& rank) {
  if (!rank.moved.empty() || !rank.between_moves.empty()) rank.phases.clear();
  rank.moved.clear();
  rank.between_moves.clear();
  rank.openmp_regions.clear();
  rank.packed_regions.clear();
  rank.periods.clear();
  rank.region_periods.clear();
  rank.region_positions = {};
  rank.events.clear();
  rank.event_totals.clear();
  rank.node_energy.clear();
  rank.cpu_time.reset();
  rank.balancing.reset();
}

void rebase(PatternForecast& forecast, const PatternForecast& reference, double error) {
  if (reference.time > Seconds{0}) forecast.slowdown = forecast.time / reference.time - 1;
  if (!forecast.time_high || !forecast.time_low) return;
  const double of_stretch = error * forecast.computation.value;
  const auto wider = [&](Seconds away) { return Seconds{std::hypot(away.value, of_stretch)}; };
  forecast.time_high = forecast.time + wider(*forecast.time_high - forecast.time);
  forecast.time_low =
      std::max(Seconds{0}, forecast.time - wider(forecast.time - *forecast.time_low));
}

bool serves_better(const PatternForecast& narrow, const PatternForecast* wide,
                   Objective objective) {
  if (wide == nullptr) return true;
  if (narrow.energy && wide->energy)
    return objective_of(narrow, objective) <
           objective_of(*wide, objective) * (1 - kLeastEnergyGain);
  return narrow.nodes < wide->nodes;
}

// With its plan, if there is anything to gain.
std::optional<NarrowStudy> study_of(const std::vector<Profile>& profiles, const NarrowRanks& ranks,
                                    const Recommender& recommender, const NodeTopology& node,
                                    const Recommendation& wide, RecommendationOptions options) {
  const std::uint32_t cores = recommender.rank().cores;
  std::vector<Profile> narrow_profiles;
  narrow_profiles.reserve(profiles.size());
  for (const Profile& profile : profiles)
    narrow_profiles.push_back(narrowed(profile, ranks, cores, node));
  const Recommender narrow(recommender.machine(), node, ranks.cores);
  const Profile& first = narrow_profiles.front();
  const Reference reference = measured_reference(first, narrow.slots());
  options.rank = narrow.rank();
  const Seconds as_submitted = wide.reference_forecast.time;
  const Seconds on_fewer = PatternStudy(all_as_nominal(narrow_profiles), narrow.machine(),
                                        narrow.slots(), reference, options)
                               .reference_forecast()
                               .time;
  if (!(on_fewer > Seconds{0})) return std::nullopt;
  options.slowdown = (1 + options.slowdown) / (1 + ranks.error) * (as_submitted / on_fewer) - 1;
  if (options.slowdown < 0) return std::nullopt;
  NarrowStudy study{ranks, narrow.recommend(narrow_profiles, reference, options), {}};
  Recommendation& found = study.recommendation;
  found.reference = wide.reference;
  found.reference_forecast = wide.reference_forecast;
  for (Candidate& candidate : found.candidates)
    rebase(candidate.forecast, wide.reference_forecast, ranks.error);
  if (found.by_load) rebase(found.by_load->forecast, wide.reference_forecast, ranks.error);
  const Candidate* const chosen = found.chosen();
  const Candidate* const before = wide.chosen();
  if (chosen == nullptr || chosen->forecast.nodes >= wide.reference_forecast.nodes ||
      !serves_better(chosen->forecast, before == nullptr ? nullptr : &before->forecast,
                     options.objective))
    return std::nullopt;
  study.plan = narrow.plan(found, first, options);
  study.plan.cores_per_rank = cores;
  study.plan.packed_cores_per_rank = ranks.cores;
  study.plan.trial = study.plan.chosen.coverage == Coverage::kNone;
  study.plan.reason += "; " + narrow_text(study.plan);
  return study;
}

}  // namespace

std::vector<NarrowRanks> narrow_ranks_of(const Profile& profile, std::uint32_t cores) {
  std::vector<NarrowRanks> found;
  if (!profile.complete || profile.rank_records.size() != profile.ranks ||
      !teams_are_all(profile, cores))
    return found;
  for (std::uint32_t fewer = cores / 2; fewer >= 1; --fewer)
    if (cores % fewer == 0)
      if (auto ranks = ranks_on(profile, cores, fewer)) found.push_back(*std::move(ranks));
  return found;
}

Profile narrowed(const Profile& profile, const NarrowRanks& narrow, std::uint32_t cores,
                 const NodeTopology& node) {
  Profile made = profile;
  Seconds longest_before;
  Seconds longest_after;
  for (const RankRecord& rank : profile.rank_records) {
    const Seconds computation = rank.computation_time();
    longest_before = std::max(longest_before, computation);
    longest_after = std::max(longest_after, computation * narrow.stretch.at(rank.rank.value));
  }
  for (RankRecord& rank : made.rank_records) {
    const double stretch = narrow.stretch[rank.rank.value];
    const Seconds computation = rank.computation_time() * stretch;
    rank.run_time = std::max(rank.run_time + (longest_after - longest_before), computation);
    rank.mpi_time = rank.run_time - computation;
    rank.pus = first_cores(rank, cores, narrow.cores, node);
    forget_details(rank);
    stretch_phases(rank.phases, stretch);
  }
  made.wait_states.reset();
  made.shared.openmp_regions.clear();
  made.counters_absent_reason = "computation is that of another number of cores";
  return made;
}

std::optional<NarrowStudy> study_narrow_ranks(const std::vector<Profile>& profiles,
                                              const std::vector<NarrowRanks>& ranks,
                                              const Recommender& recommender,
                                              const NodeTopology& node, const Recommendation& wide,
                                              const RecommendationOptions& options) {
  if (options.objective == Objective::kTime) return std::nullopt;
  RecommendationOptions narrow_options = options;
  narrow_options.frequencies.reset();
  narrow_options.only_until_chosen = false;
  narrow_options.model = nullptr;
  std::optional<NarrowStudy> best;
  for (const NarrowRanks& each : ranks) {
    auto study = study_of(profiles, each, recommender, node, wide, narrow_options);
    if (study &&
        (!best || serves_better(study->plan.chosen, &best->plan.chosen, options.objective)))
      best = std::move(study);
  }
  return best;
}

std::string narrow_text(const Plan& plan) {
  return fmt::format("each rank on {} of its {} cores, its teams keep their size",
                     plan.packed_cores_per_rank, plan.cores_per_rank);
}

}  // namespace huddle
