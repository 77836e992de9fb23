#include "aggregator/forecast/best_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

std::optional<Estimate> product(const std::optional<Estimate>& a,
                                const std::optional<Estimate>& b) {
  if (!a || !b) return std::nullopt;
  return Estimate{a->value * b->value, a->low * b->low, a->high * b->high};
}

BestCandidate candidate_of(ForecastAt forecast) {
  BestCandidate candidate;
  candidate.edp_js = product(forecast.energy_j, forecast.time_s);
  candidate.forecast = std::move(forecast);
  return candidate;
}

// Whether a factor, or a pair of them such as "threads with size", was asked for. The size is the
// same for all.
bool is_asked(const std::string& factors, const AskedFactors& asked) {
  const auto names = [&](const char* factor) { return factors.find(factor) != std::string::npos; };
  return factors == "size" || (names("processes") && !asked.processes.empty()) ||
         (names("threads") && !asked.threads.empty()) ||
         (names("frequency") && !asked.frequencies_ghz.empty());
}

bool is_beyond_unasked(const ForecastAt& forecast, const AskedFactors& asked) {
  return std::any_of(forecast.beyond.begin(), forecast.beyond.end(),
                     [&](const std::string& factors) { return !is_asked(factors, asked); });
}

void check_known(const BestCandidate& first, const BestOptions& options) {
  const bool time = first.forecast.time_s.has_value();
  const bool energy = first.forecast.energy_j.has_value();
  if (!energy && options.objective != Objective::kTime)
    throw UsageError(fmt::format(
        "--objective {}: no energy was measured; without it only --objective time can be served",
        name_of(options.objective)));
  if (!time && options.objective != Objective::kEnergy)
    throw UsageError(
        fmt::format("--objective {}: no time was measured; without it only --objective energy "
                    "can be served, with --slowdown none",
                    name_of(options.objective)));
  if (!time && options.most_slowdown)
    throw UsageError(
        "--slowdown: no time was measured, so that no slowdown can be bounded; --slowdown none "
        "chooses by energy alone");
}

std::optional<BestCandidate> reference_among(
    const std::vector<BestCandidate>& candidates,
    const std::function<ForecastAt(const Configuration&)>& forecast, const BestOptions& options) {
  if (options.reference) return candidate_of(forecast(*options.reference));
  const BestCandidate* fastest = nullptr;
  for (const BestCandidate& candidate : candidates) {
    const std::optional<Estimate>& time = candidate.forecast.time_s;
    if (time && std::isfinite(time->value) &&
        (fastest == nullptr || time->value < fastest->forecast.time_s->value))
      fastest = &candidate;
  }
  if (fastest == nullptr) return std::nullopt;
  return *fastest;
}

void compare(BestCandidate& candidate, const BestCandidate& reference, const BestOptions& options) {
  if (!candidate.forecast.time_s || !reference.forecast.time_s) return;
  const double allowed = reference.forecast.time_s->value;
  candidate.slowdown = candidate.forecast.time_s->value / allowed - 1;
  if (candidate.forecast.where == reference.forecast.where || !options.most_slowdown) return;
  const double most = allowed * (1 + *options.most_slowdown);
  if (!(candidate.forecast.time_s->value <= most)) {
    candidate.feasible = false;
    candidate.why_not = "too slow";
  } else if (options.certain && !(candidate.forecast.time_s->high <= most)) {
    candidate.feasible = false;
    candidate.why_not = "may be too slow";
  }
}

void require_objective(BestCandidate& candidate, Objective objective) {
  const std::optional<Estimate> value = objective_of(candidate, objective);
  if (value && std::isfinite(value->value)) return;
  candidate.feasible = false;
  candidate.why_not = "not known";
}

void rank(BestConfiguration& best) {
  const auto value = [&](const BestCandidate& candidate) {
    const std::optional<Estimate> estimate = objective_of(candidate, best.objective);
    return estimate && std::isfinite(estimate->value) ? estimate->value : HUGE_VAL;
  };
  std::stable_sort(best.candidates.begin(), best.candidates.end(),
                   [&](const BestCandidate& a, const BestCandidate& b) {
                     return a.feasible != b.feasible ? a.feasible : value(a) < value(b);
                   });
  const BestCandidate* chosen = best.chosen();
  if (chosen == nullptr) return;
  const Estimate least = *objective_of(*chosen, best.objective);
  for (std::size_t i = 1; i < best.candidates.size() && best.candidates[i].feasible; ++i)
    best.candidates[i].alike = objective_of(best.candidates[i], best.objective)->low <= least.high;
}

void remark_on(BestConfiguration& best) {
  std::set<std::string> beyond;
  for (const BestCandidate& candidate : best.candidates)
    beyond.insert(candidate.forecast.beyond.begin(), candidate.forecast.beyond.end());
  if (best.reference)
    beyond.insert(best.reference->forecast.beyond.begin(), best.reference->forecast.beyond.end());
  if (!beyond.empty()) {
    std::string factors;
    for (const std::string& factor : beyond)
      factors += fmt::format("{}{}", factors.empty() ? "" : ", ", factor);
    best.remarks.push_back(
        fmt::format("some of this is beyond what was measured ({}): the less sure, the farther "
                    "beyond",
                    factors));
  }
  if (best.left_out > 0)
    best.remarks.push_back(fmt::format(
        "{} configuration{} left out: beyond what was measured; --processes, --threads and "
        "--frequency ask for such",
        best.left_out, best.left_out == 1 ? " was" : "s were"));
}

}  // namespace

const BestCandidate* BestConfiguration::chosen() const {
  return candidates.empty() || !candidates[0].feasible ? nullptr : candidates.data();
}

std::optional<Estimate> objective_of(const BestCandidate& candidate, Objective objective) {
  switch (objective) {
    case Objective::kEnergy:
      return candidate.forecast.energy_j;
    case Objective::kEdp:
      return candidate.edp_js;
    case Objective::kTime:
      return candidate.forecast.time_s;
  }
  return std::nullopt;
}

BestConfiguration best_configuration(
    const std::vector<Configuration>& candidates,
    const std::function<ForecastAt(const Configuration&)>& forecast, const BestOptions& options) {
  BestConfiguration best;
  best.objective = options.objective;
  for (const Configuration& where : candidates) {
    ForecastAt predicted = forecast(where);
    if (is_beyond_unasked(predicted, options.asked))
      ++best.left_out;
    else
      best.candidates.push_back(candidate_of(std::move(predicted)));
  }
  if (best.candidates.empty())
    throw UsageError(fmt::format(
        "there is no configuration to choose from: {} are beyond what was measured; ask for them "
        "by --processes, --threads and --frequency",
        best.left_out));
  check_known(best.candidates[0], options);
  best.reference = reference_among(best.candidates, forecast, options);
  for (BestCandidate& candidate : best.candidates) {
    if (best.reference) compare(candidate, *best.reference, options);
    require_objective(candidate, options.objective);
  }
  if (best.reference) compare(*best.reference, *best.reference, options);
  rank(best);
  remark_on(best);
  return best;
}

}  // namespace huddle
