#include "aggregator/recommend/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/recommend/detail/load_grouping.hpp"
#include "aggregator/recommend/detail/pattern_study.hpp"
#include "aggregator/recommend/detail/rank_frequencies.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle::recommend {
namespace {

void check_together(const std::vector<Profile>& profiles) {
  if (profiles.empty()) throw UsageError("a recommendation needs at least one profile");
  for (const Profile& profile : profiles) {
    if (!profile.complete)
      throw UsageError(fmt::format("the profile of {} was cut short ({}): measure a whole run",
                                   profile.label, profile.cut_short_reason));
    if (profile.ranks != profiles.front().ranks)
      throw UsageError(fmt::format(
          "profiles of {} and of {} ranks can't be samples of one program: give those of one size",
          profiles.front().ranks, profile.ranks));
    if (profile.run_time() <= Seconds{0})
      throw UsageError(
          fmt::format("the profile of {} has no run time in it, so no slowdown can be predicted "
                      "from it: measure the program with huddle record, or map the profile, which "
                      "needs no times, with huddle map",
                      shortened(profile.label)));
  }
}

using EnergyRank = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

// Without a power model (task aggregation, section on choice): nodes, packages, dies.
EnergyRank energy_rank(const predict::Pattern& pattern, std::uint32_t ranks) {
  return {pattern.nodes_for(ranks), pattern.packages,
          pattern.packages * pattern.dies_per_package()};
}

bool better(const Candidate& a, const Candidate& b, Objective objective, std::uint32_t ranks) {
  if (a.forecast.feasible != b.forecast.feasible) return a.forecast.feasible;
  const auto key = [&](const Candidate& candidate) {
    return std::tuple(objective_of(candidate.forecast, objective),
                      energy_rank(candidate.pattern, ranks), candidate.forecast.time.value,
                      candidate.pattern);
  };
  return key(a) < key(b);
}

// Both energy objectives need power figures, of every frequency that is considered.
void check_frequencies(const Machine& machine, const RecommendationOptions& options) {
  if (!options.frequencies) return;
  const FrequencyRange& range = *options.frequencies;
  if (!machine.frequencies)
    throw UsageError(
        fmt::format("the machine {} has no frequencies to choose from: add \"frequencies\" to its "
                    "document",
                    shortened(machine.name)));
  const std::vector<Hertz>& settable = machine.frequencies->settable;
  if (std::none_of(settable.begin(), settable.end(),
                   [&](Hertz frequency) { return range.holds(frequency); }))
    throw UsageError(fmt::format("the machine {} has no frequency in that range: it has {} to {}",
                                 shortened(machine.name), text_of(settable.front()),
                                 text_of(settable.back())));
  if (options.objective != Objective::kTime && !predict::power_depends_on_frequency(machine))
    throw UsageError(
        fmt::format("frequencies are chosen for least energy, but the machine {} does not say what "
                    "its cores draw at each: add \"power\", and \"power\" in \"frequencies\", to "
                    "its document, or choose for least time",
                    shortened(machine.name)));
}

std::vector<predict::Pattern> in_energy_order(const commgraph::NodeTopology& node,
                                              std::uint32_t ranks) {
  std::vector<predict::Pattern> patterns = predict::patterns_of(node);
  std::stable_sort(patterns.begin(), patterns.end(),
                   [&](const predict::Pattern& a, const predict::Pattern& b) {
                     return energy_rank(a, ranks) < energy_rank(b, ranks);
                   });
  return patterns;
}

// Looks at the patterns in order and stops behind the first feasible one's rank.
std::vector<Candidate> until_chosen(const PatternStudy& study,
                                    const std::vector<predict::Pattern>& patterns,
                                    std::uint32_t ranks) {
  std::vector<Candidate> examined;
  std::optional<EnergyRank> rank_of_choice;
  for (const predict::Pattern& pattern : patterns) {
    if (rank_of_choice && energy_rank(pattern, ranks) > *rank_of_choice) break;
    examined.push_back(study.examine(pattern, study.quick_mapping(pattern)));
    if (examined.back().forecast.feasible && !rank_of_choice)
      rank_of_choice = energy_rank(pattern, ranks);
  }
  return examined;
}

// Indices of patterns with as many ranks a node, the one with most levels first: its groups are
// nested, so that ranks that talk most are near each other in the others, too.
std::vector<std::vector<std::size_t>> by_ranks_per_node(
    const std::vector<predict::Pattern>& patterns) {
  std::map<std::uint32_t, std::vector<std::size_t>> found;
  for (std::size_t i = 0; i < patterns.size(); ++i)
    found[patterns[i].ranks_per_node()].push_back(i);
  const auto levels = [&](std::size_t i) {
    const predict::Pattern& pattern = patterns[i];
    return (pattern.packages > 1) + (pattern.numa_nodes > 1) + (pattern.dies > 1) +
           (pattern.cores > 1) + (pattern.pus > 1);
  };
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [ranks, group] : found) {
    std::stable_sort(group.begin(), group.end(),
                     [&](std::size_t a, std::size_t b) { return levels(a) > levels(b); });
    groups.push_back(std::move(group));
  }
  return groups;
}

// Mapping takes nearly all of the time: many ranks are only mapped where it may matter.
std::vector<std::uint32_t> mapping_for(const PatternStudy& study,
                                       const std::vector<predict::Pattern>& patterns,
                                       const std::vector<std::size_t>& group, std::uint32_t ranks) {
  constexpr std::uint32_t kMany = 1U << 13U;
  const bool in_vain = ranks > kMany && std::all_of(group.begin(), group.end(), [&](std::size_t i) {
                         return study.is_ruled_out_by_computation(patterns[i]);
                       });
  return in_vain ? study.rank_order() : study.quick_mapping(patterns[group.front()]);
}

// Patterns with as many ranks a node share a mapping: what crosses the network is the same.
std::vector<Candidate> examine_all(const PatternStudy& study,
                                   const std::vector<predict::Pattern>& patterns,
                                   std::uint32_t ranks, unsigned threads,
                                   const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<Candidate> examined(patterns.size());
  const std::vector<std::vector<std::size_t>> groups = by_ranks_per_node(patterns);
  std::mutex mutex;
  std::size_t done = 0;
  for_each_index(threads, groups.size(), [&](std::size_t group) {
    const std::vector<std::uint32_t> core_of = mapping_for(study, patterns, groups[group], ranks);
    for (const std::size_t i : groups[group]) {
      examined[i] = study.examine(patterns[i], core_of);
      const std::lock_guard lock(mutex);
      ++done;
      if (progress) progress(done, patterns.size());
    }
  });
  return examined;
}

// Until now the names count slots, which identify patterns.
void name_patterns(Recommendation& result) {
  for (Candidate& candidate : result.candidates)
    candidate.forecast.pattern = predict::name_on_cores(candidate.pattern, result.rank);
  const std::string reference =
      predict::name_on_cores(predict::Pattern::parse(result.reference.pattern), result.rank);
  result.reference.pattern = reference;
  result.reference_forecast.pattern = reference;
}

std::vector<Hertz> frequencies_to_set(const Machine& machine,
                                      const std::optional<FrequencyRange>& range) {
  std::vector<Hertz> found;
  for (const Hertz frequency : machine.frequencies->settable)
    if (frequency <= machine.frequencies->nominal && (!range || range->holds(frequency)))
      found.push_back(frequency);
  return found;
}

// True if ranks that share a clock may get other neighbours for it.
bool loads_matter(const Machine& machine, const RecommendationOptions& options) {
  return machine.frequencies && machine.frequencies->domain == ClockDomain::kPackage &&
         (options.frequencies || options.clocks_follow_loads) &&
         options.objective != Objective::kTime;
}

void group_by_load(Recommendation& result, const PatternStudy& study, const Profile& profile,
                   const Machine& machine, const RecommendationOptions& options) {
  if (!loads_matter(machine, options)) return;
  const std::vector<Hertz> settable = frequencies_to_set(machine, options.frequencies);
  if (settable.empty()) return;
  const Candidate& chosen = *result.chosen();
  const std::optional<LoadGrouping> grouping =
      group_by_load(slacks_of(profile), chosen.pattern, chosen.core_of, settable);
  if (!grouping) return;
  Candidate traded = study.examine(chosen.pattern, grouping->core_of);
  if (!traded.forecast.feasible) return;
  traded.forecast.pattern = chosen.forecast.pattern;
  result.by_load = std::move(traded);
  result.by_load_saves = grouping->saved;
}

}  // namespace

const Candidate* Recommendation::chosen() const {
  if (candidates.empty() || !candidates.front().forecast.feasible) return nullptr;
  return &candidates.front();
}

Recommendation recommend(const std::vector<Profile>& profiles, const Machine& machine,
                         const commgraph::NodeTopology& node, const predict::Reference& reference,
                         const RecommendationOptions& options,
                         const std::function<void(std::size_t, std::size_t)>& progress) {
  check_together(profiles);
  if (options.objective == Objective::kEdp && !machine.power)
    throw UsageError(
        fmt::format("the objective is energy x time, but the machine {} has no power figures: add "
                    "\"power\" to its document",
                    shortened(machine.name)));
  check_frequencies(machine, options);
  if (options.least_nodes > options.most_nodes.value_or(options.least_nodes))
    throw UsageError(fmt::format("at least {} nodes and at most {} can't be used",
                                 options.least_nodes, *options.most_nodes));
  const PatternStudy study(options.frequencies
                               ? sort_by_frequency(profiles, *machine.frequencies, node)
                               : all_as_nominal(profiles),
                           machine, node, reference, options);
  Recommendation result{reference,
                        study.reference_forecast(),
                        {},
                        study.predictor().method(),
                        study.predictor().notes(),
                        study.notes(),
                        options.rank,
                        study.model_quality()};
  const std::uint32_t ranks = profiles.front().ranks;
  const std::vector<predict::Pattern> patterns = in_energy_order(node, ranks);
  // With power figures the best may come last.
  const bool may_stop =
      options.only_until_chosen && options.objective == Objective::kEnergy && !machine.power;
  result.candidates = may_stop ? until_chosen(study, patterns, ranks)
                               : examine_all(study, patterns, ranks, options.threads, progress);
  const auto order = [&](const Candidate& a, const Candidate& b) {
    return better(a, b, options.objective, ranks);
  };
  std::sort(result.candidates.begin(), result.candidates.end(), order);
  name_patterns(result);
  if (result.chosen() == nullptr) return result;
  // The quick mapping stays if the thorough one turns out worse for the time.
  Candidate thorough = study.examine_thoroughly(result.chosen()->pattern);
  thorough.forecast.pattern = predict::name_on_cores(thorough.pattern, options.rank);
  if (order(thorough, result.candidates.front())) result.candidates.front() = thorough;
  group_by_load(result, study, profiles.front(), machine, options);
  return result;
}

}  // namespace huddle::recommend
