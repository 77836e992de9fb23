#include "aggregator/choice/pattern_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "aggregator/computation/samples.hpp"
#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/mapping/mapper.hpp"

namespace huddle {
namespace {

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

}  // namespace

PatternStudy::PatternStudy(const std::vector<Profile>& profiles, const Machine& machine,
                           const NodeTopology& node, const Reference& reference,
                           const RecommendationOptions& options)
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

// With a quick mapping, or with a thorough one.
Candidate PatternStudy::examine(const Pattern& pattern, bool quick) const {
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

std::vector<std::uint32_t> PatternStudy::mapping_on(const Pattern& pattern, std::uint32_t nodes,
                                                    bool quick) const {
  MappingOptions mapping;
  mapping.quick = quick;
  if (!quick) mapping.threads = options_.threads;
  if (options_.grouping == Grouping::kRankOrder) mapping.engine = Engine::kIdentity;
  return map_ranks(graph_, hierarchy_of(pattern, nodes), mapping).core_of;
}

void PatternStudy::predict(PatternForecast& forecast,
                           const std::vector<Location>& locations) const {
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

std::uint32_t PatternStudy::most_nodes() const {
  if (options_.most_nodes) return *options_.most_nodes;
  return machine_.nodes != 0 ? machine_.nodes : reference_.nodes;
}

// The most memory that the ranks of one node need.
Bytes PatternStudy::memory_needed(const Candidate& candidate) const {
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

std::string PatternStudy::why_not(const Candidate& candidate) const {
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
std::string PatternStudy::doubt_about(const PatternForecast& forecast) const {
  if (!forecast.time_high || reference_forecast_.time <= Seconds{0}) return {};
  const double most = *forecast.time_high / reference_forecast_.time - 1;
  if (most <= options_.slowdown) return {};
  return fmt::format("may be beyond the bound of {:.1f} %: up to {:+.1f} %",
                     options_.slowdown * 100, most * 100);
}

}  // namespace huddle
