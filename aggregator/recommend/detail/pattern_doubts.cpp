// Why a pattern is not to be chosen: there is no room for it, it is too slow, or too little is
// known of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include "aggregator/recommend/detail/pattern_study.hpp"
#include "profiles/vocabulary/figures.hpp"

namespace huddle::recommend {
namespace {

// Plans keep reasons as text: these words tell their kinds.
constexpr std::string_view kTheBound = "the bound of";
constexpr std::string_view kMustBeUsed = "must be used";

}  // namespace

bool is_refused_for_time(const PatternForecast& forecast) {
  return !forecast.feasible && (forecast.reason == kContentionUnknown ||
                                forecast.reason.find(kTheBound) != std::string::npos);
}

bool is_refused_for_least_nodes(const PatternForecast& forecast) {
  return !forecast.feasible && forecast.reason.ends_with(kMustBeUsed);
}

// The reason why the pattern needs what there is not; empty if it does not.
std::string PatternStudy::no_room(const Candidate& candidate) const {
  constexpr double kGib = 1U << 30U;
  const std::uint32_t nodes = candidate.forecast.nodes;
  if (nodes > most_nodes())
    return fmt::format("needs {} nodes, at most {} may be used", nodes, most_nodes());
  if (!options_.ranks_together.empty() &&
      std::ranges::max(options_.ranks_together) > candidate.pattern.ranks_per_node())
    return "parts ranks that must stay on one node";
  if (nodes < options_.least_nodes)
    return fmt::format("needs {} {}, at least {} {}", nodes, nodes == 1 ? "node" : "nodes",
                       options_.least_nodes, kMustBeUsed);
  if (options_.shares_nodes && !is_as_slurm_lays_out(candidate))
    return "is not what Slurm gives where nodes are shared";
  const Bytes needed = memory_.fullest_node(candidate.core_of, candidate.pattern.ranks_per_node());
  if (machine_.node_memory.value != 0 && needed > machine_.node_memory)
    return fmt::format("needs {:.1f} GiB on a node of {:.1f} GiB",
                       static_cast<double>(needed.value) / kGib,
                       static_cast<double>(machine_.node_memory.value) / kGib);
  return {};
}

// Slurm chooses the cores of nodes that others are on, too, and each must have as many.
bool PatternStudy::is_as_slurm_lays_out(const Candidate& candidate) const {
  const bool submitted = candidate.forecast.pattern == reference_forecast_.pattern &&
                         candidate.forecast.nodes == reference_forecast_.nodes;
  return submitted || predict::is_laid_out_by_slurm(candidate.pattern, node_, profile_.ranks);
}

// True if what the prediction rests on is too weak for the most likely time alone to count.
bool PatternStudy::needs_whole_interval(const PatternForecast& forecast) const {
  if (options_.risk == Risk::kInterval) return true;
  if (predictor_.method() == ComputationMethod::kPrior && !predictor_.saw_contention() &&
      forecast.coverage == Coverage::kNone)
    return true;
  if (!options_.covered_only) return false;
  return forecast.coverage == Coverage::kInterpolated ||
         (forecast.coverage == Coverage::kModel && model_quality_->mean > options_.slowdown);
}

// It is what all others are compared with: whatever is unknown of it is unknown of both.
bool PatternStudy::is_reference(const PatternForecast& forecast) const {
  return forecast.pattern == reference_forecast_.pattern &&
         forecast.nodes == reference_forecast_.nodes &&
         forecast.frequency == reference_forecast_.frequency;
}

std::string PatternStudy::too_slow(const PatternForecast& forecast) const {
  if (is_reference(forecast)) return {};
  if (forecast.slowdown > options_.slowdown)
    return fmt::format("slower than {} {:.1f} %", kTheBound, options_.slowdown * 100);
  if (options_.covered_only && forecast.coverage == Coverage::kNone)
    return std::string(kContentionUnknown);
  if (needs_whole_interval(forecast)) return doubt_about(forecast);
  return too_uncertain(forecast);
}

// Among many patterns near the bound the one is chosen whose error flatters it most. So it is not
// enough that the most likely time is within the bound, if it is known how far it may be off.
std::string PatternStudy::too_uncertain(const PatternForecast& forecast) const {
  constexpr double kDeviations = 0.2533;  // of a normal distribution, 60 % lie below
  if (predictor_.method() == ComputationMethod::kSimple || !forecast.time_high ||
      reference_forecast_.time <= Seconds{0})
    return {};
  const double deviation =
      (*forecast.time_high - forecast.time) / reference_forecast_.time / predict::kNinetyPercent;
  const double room = options_.slowdown - forecast.slowdown;
  if (room >= kDeviations * deviation) return {};
  const double probability = std::erfc(-room / deviation / std::numbers::sqrt2) / 2;
  return fmt::format("within {} {:.1f} % with a probability of {:.0f} %", kTheBound,
                     options_.slowdown * 100, probability * 100);
}

// The reason why the pattern may turn out beyond the bound; empty if not, or if nobody knows.
std::string PatternStudy::doubt_about(const PatternForecast& forecast) const {
  if (!forecast.time_high || reference_forecast_.time <= Seconds{0} || is_reference(forecast))
    return {};
  const double most = *forecast.time_high / reference_forecast_.time - 1;
  if (most <= options_.slowdown) return {};
  std::string doubt = fmt::format("may be beyond {} {:.1f} %", kTheBound, options_.slowdown * 100);
  if (is_useful_interval(forecast.time_low->value, forecast.time_high->value))
    doubt += fmt::format(": up to {} %", percent_text(most));
  return doubt;
}

}  // namespace huddle::recommend
