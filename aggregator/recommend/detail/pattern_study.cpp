#include "aggregator/recommend/detail/pattern_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "aggregator/predict/computation/frequency_scaling.hpp"
#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/predict/energy/unused_energy.hpp"
#include "aggregator/recommend/detail/program_predictor.hpp"
#include "aggregator/recommend/detail/rank_order.hpp"
#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/mapping/mapper.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::recommend {
namespace {

predict::WaitingPace pace_of(const RunsByFrequency& runs, const Machine& machine,
                             const commgraph::NodeTopology& node,
                             const RecommendationOptions& options) {
  predict::PredictorOptions settings;
  // The paper's needs samples with events, which parts of a run have none of.
  if (options.computation != ComputationMethod::kPaper) settings.method = options.computation;
  settings.node = predict::full_pattern(node);
  settings.memory_streams = machine.memory_streams;
  return {runs.nominal, node, options.model, settings};
}

// The number of ranks on each node: in rank order as many as the others, which may be fewer than
// the pattern would hold.
std::vector<std::uint32_t> ranks_on_nodes(const std::vector<std::uint32_t>& core_of,
                                          const predict::Pattern& pattern) {
  std::vector<std::uint32_t> on(std::ranges::max(core_of) / pattern.ranks_per_node() + 1);
  for (const std::uint32_t core : core_of) ++on[core / pattern.ranks_per_node()];
  return on;
}

// The time in MPI of the rank for which the others wait.
Seconds longest_computation(const Profile& profile) {
  Seconds longest;
  for (const RankRecord& record : profile.rank_records)
    longest = std::max(longest, record.computation_time());
  return longest;
}

// Samples: what each measured run says about its own communication.
predict::CommunicationEstimate estimate_from(const std::vector<const Profile*>& profiles,
                                             const predict::WaitingPace& pace,
                                             const predict::CommunicationTable& table,
                                             const commgraph::NodeTopology& node) {
  std::vector<predict::CommunicationSample> samples;
  for (const Profile* const run : profiles) {
    const Profile& profile = *run;
    const Seconds computation = profile.mean_computation_time();
    // A profile without any time in MPI was written by something that did not measure it.
    if (profile.run_time() <= computation) continue;
    const std::vector<predict::Location> locations = predict::measured_locations(profile, node);
    samples.push_back({predict::communication_time(profile, table, locations), pace.of(profile),
                       std::max(profile.run_time() - longest_computation(profile), Seconds{0})});
  }
  return predict::CommunicationEstimate(samples);
}

// Those of the machine that are in the range.
std::vector<std::optional<Hertz>> frequencies_in(const std::optional<FrequencyRange>& range,
                                                 const Machine& machine) {
  if (!range) return {std::nullopt};
  std::vector<std::optional<Hertz>> found;
  for (const Hertz frequency : machine.frequencies->settable)
    if (range->holds(frequency)) found.emplace_back(frequency);
  return found;
}

}  // namespace

RunsByFrequency all_as_nominal(const std::vector<Profile>& profiles) {
  RunsByFrequency runs;
  for (const Profile& profile : profiles) runs.nominal.push_back(&profile);
  return runs;
}

RunsByFrequency sort_by_frequency(const std::vector<Profile>& profiles,
                                  const Frequencies& frequencies,
                                  const commgraph::NodeTopology& node) {
  RunsByFrequency runs;
  std::vector<predict::FrequencySample> samples;
  for (const Profile& profile : profiles) {
    const Hertz frequency = predict::settable_frequency_of(profile, frequencies);
    if (frequency == frequencies.nominal)
      runs.nominal.push_back(&profile);
    else if (runs.nominal.empty())
      throw UsageError(
          fmt::format("the profile of {} was measured at {}, by its cycles: give a profile at the "
                      "machine's nominal {} first",
                      shortened(profile.label), text_of(frequency), text_of(frequencies.nominal)));
    samples.push_back({predict::measured_reference(profile, node).pattern,
                       frequencies.nominal / frequency, profile.mean_computation_time()});
  }
  runs.core_time = predict::core_time_by_frequencies(samples);
  return runs;
}

std::optional<Joules> deciding_energy(const PatternForecast& forecast) {
  return forecast.machine_energy ? forecast.machine_energy : forecast.energy;
}

double objective_of(const PatternForecast& forecast, Objective objective) {
  if (objective == Objective::kTime) return forecast.time.value;
  const std::optional<Joules> energy = deciding_energy(forecast);
  if (!energy) return 0;
  return energy->value * (objective == Objective::kEdp ? forecast.time.value : 1);
}

PatternStudy::PatternStudy(const RunsByFrequency& runs, const Machine& machine,
                           const commgraph::NodeTopology& node, const predict::Reference& reference,
                           const RecommendationOptions& options)
    : profile_(*runs.nominal.front()),
      machine_(machine),
      node_(node),
      reference_(reference),
      options_(options),
      frequencies_(frequencies_in(options.frequencies, machine)),
      memory_(profile_, options.memory_per_rank, options.memory_margin),
      graph_(commgraph::mapping_graph_of(profile_, commgraph::Weight::kBytes).graph),
      table_(machine),
      pace_(pace_of(runs, machine, node, options)),
      communication_(estimate_from(runs.nominal, pace_, table_, node)),
      predictor_(predictor_of_program(runs.nominal, machine, node, options.model,
                                      options.computation, runs.core_time)),
      loads_(predict::rank_loads(runs.nominal, node, predictor_)),
      densities_(runs.nominal, node),
      fates_(fates_of(machine.unused_nodes, machine.nodes)) {
  if (options.model != nullptr) model_quality_ = predict::quality_of(*options.model);
  reference_forecast_.pattern = reference.pattern;
  reference_forecast_.ranks_per_node = reference.ranks_per_node;
  reference_forecast_.nodes = reference.nodes;
  std::optional<Hertz> nominal;
  if (options.frequencies) nominal = machine.frequencies->nominal;
  predict(reference_forecast_, placement_of(reference.locations), nominal);
  reference_forecast_.slowdown = 0;
}

std::vector<std::string> PatternStudy::notes() const {
  std::vector<std::string> notes;
  if (const std::optional<std::string> note = memory_.note();
      note && machine_.node_memory.value != 0)
    notes.push_back(*note);
  if (!options_.frequencies) return notes;
  if (predictor_.frequency_basis() == predict::FrequencyBasis::kModel)
    notes.emplace_back(
        "how much longer computation takes at a lower frequency comes from a model that saw no "
        "other "
        "frequency, and so do the intervals: a profile at another frequency would show it");
  if (predictor_.frequency_basis() == predict::FrequencyBasis::kIpc)
    notes.emplace_back(
        "how much longer computation takes at a lower frequency is guessed from instructions per "
        "cycle: a profile at another frequency, or a model (see huddle train), would show it");
  if (predictor_.frequency_basis() == predict::FrequencyBasis::kNothing)
    notes.emplace_back(
        "how much of the computation waits for memory is unknown: all of it is taken to grow as "
        "the frequency falls; a profile at another frequency, hardware counters, or a model (see "
        "huddle train) may show that a lower frequency costs less");
  return notes;
}

Candidate PatternStudy::examine(const predict::Pattern& pattern,
                                std::vector<std::uint32_t> core_of) const {
  Candidate candidate{pattern, {}, std::move(core_of)};
  PatternForecast& forecast = candidate.forecast;
  forecast.pattern = pattern.name();
  const std::vector<std::uint32_t> on = ranks_on_nodes(candidate.core_of, pattern);
  forecast.ranks_per_node =
      options_.grouping == Grouping::kRankOrder ? std::ranges::max(on) : pattern.ranks_per_node();
  forecast.nodes = static_cast<std::uint32_t>(on.size());
  forecast.reason = no_room(candidate);
  forecast = best_of_frequencies(forecast,
                                 placement_of(predict::locations_on(pattern, candidate.core_of)));
  return candidate;
}

// `forecast` has a reason already if the pattern is not feasible at any frequency.
PatternForecast PatternStudy::best_of_frequencies(const PatternForecast& forecast,
                                                  const Placement& placement) const {
  if (!forecast.reason.empty()) {
    PatternForecast fastest = forecast;
    predict(fastest, placement, frequencies_.back());
    fastest.feasible = false;
    return fastest;
  }
  std::optional<PatternForecast> best;
  for (const std::optional<Hertz> frequency : frequencies_) {
    PatternForecast at = forecast;
    predict(at, placement, frequency);
    at.reason = too_slow(at);
    at.feasible = at.reason.empty();
    if (at.feasible) at.reason = doubt_about(at);
    if (!best || better(at, *best)) best = std::move(at);
  }
  return *best;
}

// The better one of one pattern at two frequencies. What is not feasible at any is shown at its
// fastest.
bool PatternStudy::better(const PatternForecast& a, const PatternForecast& b) const {
  if (a.feasible != b.feasible) return a.feasible;
  if (!a.feasible) return a.time < b.time;
  const auto key = [&](const PatternForecast& forecast) {
    return std::tuple(objective_of(forecast, options_.objective),
                      deciding_energy(forecast).value_or(Joules{0}), forecast.time);
  };
  return key(a) < key(b);
}

std::vector<std::uint32_t> PatternStudy::mapping_on(const predict::Pattern& pattern,
                                                    bool quick) const {
  if (options_.grouping == Grouping::kRankOrder)
    if (auto cores =
            cores_in_rank_order(profile_.ranks, pattern.ranks_per_node(), options_.ranks_together))
      return *std::move(cores);
  commgraph::MappingOptions mapping;
  mapping.quick = quick;
  if (!quick) mapping.threads = options_.threads;
  if (options_.grouping == Grouping::kRankOrder) mapping.engine = commgraph::Engine::kIdentity;
  const std::uint32_t nodes = pattern.nodes_for(profile_.ranks);
  return commgraph::map_ranks(graph_, predict::hierarchy_of(pattern, nodes), mapping).core_of;
}

std::vector<std::uint32_t> PatternStudy::rank_order() const {
  std::vector<std::uint32_t> cores(profile_.ranks);
  std::iota(cores.begin(), cores.end(), 0U);
  return cores;
}

bool PatternStudy::is_ruled_out_by_computation(const predict::Pattern& pattern) const {
  const Seconds most = reference_forecast_.time * (1 + options_.slowdown);
  return most > Seconds{0} && predictor_.on(pattern).time > most;
}

PatternStudy::Placement PatternStudy::placement_of(
    const std::vector<predict::Location>& locations) const {
  return {predict::classes_of(locations), predict::communication_time(profile_, table_, locations),
          predict::busy_parts(locations, node_).for_ranks_of(options_.rank)};
}

void PatternStudy::predict(PatternForecast& forecast, const Placement& placement,
                           std::optional<Hertz> frequency) const {
  const double core_slowdown = frequency ? machine_.frequencies->nominal / *frequency : 1;
  const std::vector<predict::RankClass> classes = classes_on(placement, forecast);
  const predict::ComputationForecast computation = predictor_.on(classes, core_slowdown, loads_);
  forecast.frequency = frequency;
  set_coverage(forecast, placement);
  forecast.computation = computation.time;
  forecast.communication_bound = placement.communication_bound;
  // Ranks that share less, or have less to compute, wait for the others, in MPI.
  forecast.communication = communication_.on(placement.communication_bound,
                                             waited_for(classes, computation, core_slowdown)) +
                           (computation.slowest - computation.time);
  forecast.time = forecast.computation + forecast.communication;
  set_interval(forecast, computation);
  if (reference_forecast_.time > Seconds{0})
    forecast.slowdown = forecast.time / reference_forecast_.time - 1;
  set_energy(forecast, placement.busy);
}

// Cores that are slower stretch what others wait for as they stretch all computation.
Seconds PatternStudy::waited_for(const std::vector<predict::RankClass>& classes,
                                 const predict::ComputationForecast& computation,
                                 double core_slowdown) const {
  const double stretch =
      core_slowdown == 1 || !(computation.time > Seconds{0})
          ? 1
          : computation.time / std::max(predictor_.on(classes).time, Seconds{1e-9});
  return pace_.on(classes, computation.time, stretch);
}

// Where it is not known who shares with whom, all share as the pattern has it.
std::vector<predict::RankClass> PatternStudy::classes_on(const Placement& placement,
                                                         const PatternForecast& forecast) const {
  if (placement.classes) return *placement.classes;
  predict::RankClass all{predict::sharing_of(predict::Pattern::parse(forecast.pattern)), {}};
  for (std::uint32_t rank = 0; rank < profile_.ranks; ++rank) all.ranks.push_back(rank);
  return {all};
}

void PatternStudy::set_coverage(PatternForecast& forecast, const Placement& placement) const {
  const bool by_model = model_quality_ && model_quality_->acceptable() &&
                        predictor_.method() != ComputationMethod::kSimple &&
                        predictor_.method() != ComputationMethod::kPrior;
  const std::vector<predict::RankClass> classes = classes_on(placement, forecast);
  forecast.coverage = densities_.coverage_of(classes, by_model);
  forecast.rests_on = densities_.ground_of(classes, by_model);
}

// Computation and communication err independently; waiting for the slowest rank errs with its
// computation.
void PatternStudy::set_interval(PatternForecast& forecast,
                                const predict::ComputationForecast& computation) const {
  if (!computation.low || !computation.high) return;
  const Seconds messages = forecast.time - computation.slowest;
  const double of_communication =
      predict::kNinetyPercent * communication_.relative_error() * messages.value;
  const double of_slowest =
      computation.time > Seconds{0} ? computation.slowest / computation.time : 1;
  const auto away = [&](Seconds of_computation) {
    return Seconds{std::hypot(of_slowest * of_computation.value, of_communication)};
  };
  forecast.time_low =
      std::max(forecast.time - away(computation.time - *computation.low), Seconds{0});
  forecast.time_high = forecast.time + away(*computation.high - computation.time);
}

void PatternStudy::set_energy(PatternForecast& forecast, const predict::BusyParts& busy) const {
  if (!machine_.power) return;
  const PowerFigures power =
      forecast.frequency ? predict::power_at(machine_, *forecast.frequency) : *machine_.power;
  forecast.energy = predict::energy_of(power, busy, forecast.time);
  forecast.machine_energy =
      predict::machine_energy(*forecast.energy, power, fates_,
                              predict::nodes_left(reference_.nodes, forecast.nodes), forecast.time);
}

std::uint32_t PatternStudy::most_nodes() const {
  if (options_.most_nodes) return *options_.most_nodes;
  return machine_.nodes != 0 ? machine_.nodes : reference_.nodes;
}

}  // namespace huddle::recommend
