#include "aggregator/choice/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

#include "aggregator/communication/communication_estimate.hpp"
#include "aggregator/communication/communication_time.hpp"
#include "aggregator/computation/predictor.hpp"
#include "aggregator/computation/samples.hpp"
#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/mapping/mapper.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle {
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

ComputationPredictor predictor_for(const std::vector<Profile>& profiles, const NodeTopology& node,
                                   const RecommendationOptions& options) {
  std::vector<const Profile*> samples;
  for (const Profile& profile : profiles) samples.push_back(&profile);
  PredictorOptions settings;
  settings.method = options.computation;
  settings.node = {node.packages, node.dies_per_package, node.cores_per_die};
  SampleOptions sampling;
  sampling.may_only_communicate = true;
  return {samples_of_program(samples, node, sampling), options.model, settings};
}

// Computation of the ranks that contention slows down most, mean over those that share like them:
// the others wait for them.
Seconds slowest_class(const Profile& profile, const std::vector<Location>& locations) {
  const std::optional<std::vector<RankClass>> classes = classes_of(locations);
  Seconds slowest = profile.mean_computation_time();
  if (!classes) return slowest;
  for (const RankClass& of_class : *classes) {
    Seconds sum;
    for (const std::uint32_t rank : of_class.ranks)
      sum += profile.rank_records[rank].computation_time();
    slowest = std::max(slowest, sum * (1 / static_cast<double>(of_class.ranks.size())));
  }
  return slowest;
}

// What each measured run says about its own communication.
CommunicationEstimate estimate_from(const std::vector<Profile>& profiles,
                                    const CommunicationTable& table, const NodeTopology& node) {
  std::vector<CommunicationSample> samples;
  for (const Profile& profile : profiles) {
    const Seconds computation = profile.mean_computation_time();
    // A profile without any time in MPI was written by something that did not measure it.
    if (profile.run_time() <= computation) continue;
    const std::vector<Location> locations = measured_locations(profile, node);
    const Seconds slowest = slowest_class(profile, locations);
    samples.push_back({communication_time(profile, table, locations), computation,
                       std::max(profile.run_time() - slowest, Seconds{0})});
  }
  return CommunicationEstimate(samples);
}

/// Everything that one call of recommend() looks at again for each pattern.
class Study {
 public:
  Study(const std::vector<Profile>& profiles, const Machine& machine, const NodeTopology& node,
        const Reference& reference, const RecommendationOptions& options)
      : profile_(profiles.front()),
        machine_(machine),
        node_(node),
        reference_(reference),
        options_(options),
        graph_(mapping_graph_of(profile_, Weight::kBytes).graph),
        table_(machine),
        communication_(estimate_from(profiles, table_, node)),
        predictor_(predictor_for(profiles, node, options)) {
    reference_forecast_.pattern = reference.pattern;
    reference_forecast_.ranks_per_node = reference.ranks_per_node;
    reference_forecast_.nodes = reference.nodes;
    predict(reference_forecast_, reference.locations);
    reference_forecast_.slowdown = 0;
  }

  [[nodiscard]] const PatternForecast& reference_forecast() const { return reference_forecast_; }
  [[nodiscard]] const ComputationPredictor& predictor() const { return predictor_; }

  // With a quick mapping, or with a thorough one.
  [[nodiscard]] Candidate examine(const Pattern& pattern, bool quick) const {
    Candidate candidate{pattern, {}, {}};
    PatternForecast& forecast = candidate.forecast;
    forecast.pattern = pattern.name();
    forecast.ranks_per_node = pattern.ranks_per_node();
    forecast.nodes = pattern.nodes_for(profile_.ranks);
    candidate.core_of = mapping_on(pattern, forecast.nodes, quick);
    predict(forecast, locations_on(pattern, candidate.core_of));
    forecast.reason = why_not(candidate);
    forecast.feasible = forecast.reason.empty();
    if (forecast.feasible) forecast.reason = doubt_about(forecast);
    return candidate;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> mapping_on(const Pattern& pattern, std::uint32_t nodes,
                                                      bool quick) const {
    MappingOptions mapping;
    mapping.quick = quick;
    if (!quick) mapping.threads = options_.threads;
    if (options_.grouping == Grouping::kRankOrder) mapping.engine = Engine::kIdentity;
    return map_ranks(graph_, hierarchy_of(pattern, nodes), mapping).core_of;
  }

  void predict(PatternForecast& forecast, const std::vector<Location>& locations) const {
    const std::optional<std::vector<RankClass>> classes = classes_of(locations);
    const ComputationForecast computation =
        classes ? predictor_.on(*classes) : predictor_.on(Pattern::parse(forecast.pattern));
    forecast.computation = computation.time;
    forecast.communication_bound = communication_time(profile_, table_, locations);
    // Ranks that share less than others wait for them, in MPI.
    forecast.communication = communication_.on(*forecast.communication_bound, computation.time) +
                             (computation.slowest - computation.time);
    forecast.time = forecast.computation + forecast.communication;
    if (computation.low) forecast.time_low = *computation.low + forecast.communication;
    if (computation.high) forecast.time_high = *computation.high + forecast.communication;
    if (reference_forecast_.time > Seconds{0})
      forecast.slowdown = forecast.time / reference_forecast_.time - 1;
    if (machine_.power) {
      const std::uint32_t unused = reference_.nodes - std::min(reference_.nodes, forecast.nodes);
      forecast.energy = energy_of(*machine_.power, busy_parts(locations, node_), forecast.time,
                                  unused, options_.unused_nodes);
    }
  }

  [[nodiscard]] std::uint32_t most_nodes() const {
    if (options_.most_nodes) return *options_.most_nodes;
    return machine_.nodes != 0 ? machine_.nodes : reference_.nodes;
  }

  // The most memory that the ranks of one node need.
  [[nodiscard]] Bytes memory_needed(const Candidate& candidate) const {
    std::map<std::uint32_t, Bytes> by_node;
    Bytes most;
    for (const RankRecord& record : profile_.rank_records) {
      const std::uint32_t core = candidate.core_of[record.rank.value];
      Bytes& needed = by_node[core / candidate.pattern.ranks_per_node()];
      needed += record.peak_resident;
      most = std::max(most, needed);
    }
    return most;
  }

  [[nodiscard]] std::string why_not(const Candidate& candidate) const {
    const PatternForecast& forecast = candidate.forecast;
    if (forecast.nodes > most_nodes())
      return fmt::format("needs {} nodes, at most {} may be used", forecast.nodes, most_nodes());
    const Bytes needed = memory_needed(candidate);
    if (machine_.node_memory.value != 0 && needed > machine_.node_memory)
      return fmt::format("needs {:.1f} GiB on a node of {:.1f} GiB",
                         static_cast<double>(needed.value) / (1U << 30U),
                         static_cast<double>(machine_.node_memory.value) / (1U << 30U));
    if (forecast.slowdown > options_.slowdown)
      return fmt::format("slower than the bound of {:.1f} %", options_.slowdown * 100);
    if (options_.risk == Risk::kInterval) return doubt_about(forecast);
    return {};
  }

  // Whether the pattern may turn out beyond the bound; empty if not, or if nobody knows.
  [[nodiscard]] std::string doubt_about(const PatternForecast& forecast) const {
    if (!forecast.time_high || reference_forecast_.time <= Seconds{0}) return {};
    const double most = *forecast.time_high / reference_forecast_.time - 1;
    if (most <= options_.slowdown) return {};
    return fmt::format("may be beyond the bound of {:.1f} %: up to {:+.1f} %",
                       options_.slowdown * 100, most * 100);
  }

  const Profile& profile_;
  const Machine& machine_;
  const NodeTopology& node_;
  const Reference& reference_;
  const RecommendationOptions& options_;
  CommGraph graph_;
  CommunicationTable table_;
  CommunicationEstimate communication_;
  ComputationPredictor predictor_;
  PatternForecast reference_forecast_;
};

using EnergyRank = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

// Without a power model (task aggregation, section on choice): nodes, packages, dies.
EnergyRank energy_rank(const Pattern& pattern, std::uint32_t ranks) {
  return {pattern.nodes_for(ranks), pattern.packages, pattern.packages * pattern.dies};
}

// What is to be least, 0 where only the paper's order counts.
double objective_of(const PatternForecast& forecast, Objective objective) {
  if (objective == Objective::kTime) return forecast.time.value;
  if (!forecast.energy) return 0;
  return forecast.energy->value * (objective == Objective::kEdp ? forecast.time.value : 1);
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

std::vector<Pattern> in_energy_order(const NodeTopology& node, std::uint32_t ranks) {
  std::vector<Pattern> patterns = patterns_of(node);
  std::stable_sort(patterns.begin(), patterns.end(), [&](const Pattern& a, const Pattern& b) {
    return energy_rank(a, ranks) < energy_rank(b, ranks);
  });
  return patterns;
}

// Looks at the patterns in order and stops behind the first feasible one's rank.
std::vector<Candidate> until_chosen(const Study& study, const std::vector<Pattern>& patterns,
                                    std::uint32_t ranks) {
  std::vector<Candidate> examined;
  std::optional<EnergyRank> rank_of_choice;
  for (const Pattern& pattern : patterns) {
    if (rank_of_choice && energy_rank(pattern, ranks) > *rank_of_choice) break;
    examined.push_back(study.examine(pattern, true));
    if (examined.back().forecast.feasible && !rank_of_choice)
      rank_of_choice = energy_rank(pattern, ranks);
  }
  return examined;
}

std::vector<Candidate> examine_all(const Study& study, const std::vector<Pattern>& patterns,
                                   unsigned threads,
                                   const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<Candidate> examined(patterns.size());
  std::mutex mutex;
  std::size_t done = 0;
  for_each_index(threads, patterns.size(), [&](std::size_t i) {
    examined[i] = study.examine(patterns[i], true);
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(done, patterns.size());
  });
  return examined;
}

}  // namespace

const Candidate* Recommendation::chosen() const {
  if (candidates.empty() || !candidates.front().forecast.feasible) return nullptr;
  return &candidates.front();
}

Recommendation recommend(const std::vector<Profile>& profiles, const Machine& machine,
                         const NodeTopology& node, const Reference& reference,
                         const RecommendationOptions& options,
                         const std::function<void(std::size_t, std::size_t)>& progress) {
  check_together(profiles);
  if (options.objective == Objective::kEdp && !machine.power)
    throw UsageError(
        fmt::format("the objective is energy x time, but the machine {} has no power figures: add "
                    "\"power\" to its document",
                    shortened(machine.name)));
  const Study study(profiles, machine, node, reference, options);
  Recommendation result{reference,
                        study.reference_forecast(),
                        {},
                        study.predictor().method(),
                        study.predictor().notes()};
  const std::uint32_t ranks = profiles.front().ranks;
  const std::vector<Pattern> patterns = in_energy_order(node, ranks);
  // With power figures the best may come last.
  const bool may_stop =
      options.only_until_chosen && options.objective == Objective::kEnergy && !machine.power;
  result.candidates = may_stop ? until_chosen(study, patterns, ranks)
                               : examine_all(study, patterns, options.threads, progress);
  const auto order = [&](const Candidate& a, const Candidate& b) {
    return better(a, b, options.objective, ranks);
  };
  std::sort(result.candidates.begin(), result.candidates.end(), order);
  if (result.chosen() == nullptr) return result;
  // The quick mapping stays if the thorough one turns out worse for the time.
  const Candidate thorough = study.examine(result.chosen()->pattern, false);
  if (order(thorough, result.candidates.front())) result.candidates.front() = thorough;
  return result;
}

}  // namespace huddle
