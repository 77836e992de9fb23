#include "aggregator/forecast/program/best_configuration.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace huddle {
namespace {

using Values = std::set<double>;

Values values_of(const std::vector<Configuration>& measured, std::size_t factor) {
  Values values;
  for (const Configuration& configuration : measured)
    values.insert(factors_of(configuration)[factor]);
  return values;
}

// `term`: the one that the asked value belongs to.
void refuse_unknown(ChoiceTerm term, std::size_t factor, const Values& measured, double asked) {
  if (measured.size() > 1 || measured.count(asked) != 0) return;
  const char* unit = factor == kFrequency ? " GHz" : "";
  throw ChoiceError(
      term, fmt::format("all rows have {} {:.6g}{}, so nothing is known of {:.6g}{}: "
                        "measure some",
                        factor_name(factor), measured.empty() ? 1.0 : *measured.begin(), unit,
                        asked, unit));
}

Values asked_or_measured(const std::vector<Configuration>& measured, std::size_t factor,
                         const std::vector<double>& asked) {
  Values values = values_of(measured, factor);
  if (asked.empty()) return values;
  for (const double value : asked)
    refuse_unknown(static_cast<ChoiceTerm>(factor), factor, values, value);
  return {asked.begin(), asked.end()};
}

bool before(const Configuration& a, const Configuration& b) {
  return std::tie(a.processes, a.threads, a.frequency_ghz, a.nodes, a.packages) <
         std::tie(b.processes, b.threads, b.frequency_ghz, b.nodes, b.packages);
}

std::vector<Configuration> all_measured(const std::vector<Configuration>& measured, double size) {
  std::vector<Configuration> candidates = measured;
  for (Configuration& candidate : candidates) candidate.size = size;
  std::sort(candidates.begin(), candidates.end(), before);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

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
         (names("frequency") && !asked.frequencies_ghz.empty()) ||
         (names("nodes") && !asked.nodes.empty()) || (names("packages") && !asked.packages.empty());
}

bool is_beyond_unasked(const ForecastAt& forecast, const AskedFactors& asked) {
  return std::any_of(forecast.beyond.begin(), forecast.beyond.end(),
                     [&](const std::string& factors) { return !is_asked(factors, asked); });
}

void check_known(const BestCandidate& first, const BestOptions& options) {
  const bool time = first.forecast.time_s.has_value();
  const bool energy = first.forecast.energy_j.has_value();
  if (!energy && options.objective != Objective::kTime)
    throw ChoiceError(ChoiceTerm::objective,
                      "no energy was measured, so that only the least time can be asked for");
  if (!time && options.objective != Objective::kEnergy)
    throw ChoiceError(ChoiceTerm::objective,
                      "no time was measured, so that only the least energy can be asked for, "
                      "without a bound of slowdown");
  if (!time && options.most_slowdown)
    throw ChoiceError(ChoiceTerm::slowdown,
                      "no time was measured, so that no slowdown can be bounded; without a bound "
                      "(none) the choice is by energy alone");
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
  if (!beyond.empty())
    best.remarks.push_back(
        fmt::format("some of this is beyond what was measured ({}): the less sure, the farther "
                    "beyond",
                    fmt::join(beyond, ", ")));
}

// Each node has a process at least, and each package that is used a core of one.
bool is_possible(const Configuration& where) {
  return where.nodes <= where.processes &&
         where.packages * where.nodes <= where.processes * where.threads;
}

}  // namespace

std::vector<Configuration> candidate_configurations(const std::vector<Configuration>& measured,
                                                    double size, const AskedFactors& asked) {
  if (!asked.any()) return all_measured(measured, size);
  const Values processes = asked_or_measured(measured, kProcesses, asked.processes);
  const Values threads = asked_or_measured(measured, kThreads, asked.threads);
  const Values frequencies = asked_or_measured(measured, kFrequency, asked.frequencies_ghz);
  const Values nodes = asked_or_measured(measured, kNodes, asked.nodes);
  const Values packages = asked_or_measured(measured, kPackages, asked.packages);
  const std::size_t layouts = nodes.size() * packages.size();
  const std::size_t count = processes.size() * threads.size() * frequencies.size() * layouts;
  if (count > kMostCandidates)
    throw ChoiceError(
        ChoiceTerm::candidates,
        fmt::format("{} processes x {} threads x {} frequencies{} are {} configurations, and {} "
                    "can be compared: ask for fewer",
                    processes.size(), threads.size(), frequencies.size(),
                    layouts > 1 ? fmt::format(" x {} layouts", layouts) : "", count,
                    kMostCandidates));
  std::vector<Configuration> candidates;
  for (const double p : processes)
    for (const double t : threads)
      for (const double f : frequencies)
        for (const double n : nodes)
          for (const double k : packages) {
            const Configuration where{size, p, t, f, n, k};
            if (layouts == 1 || is_possible(where)) candidates.push_back(where);
          }
  if (candidates.empty())
    throw ChoiceError(ChoiceTerm::candidates,
                      "each combination has more nodes than processes, or more packages than "
                      "cores: ask for fewer nodes or for more processes");
  return candidates;
}

std::vector<Configuration> possible_on(const MachineLayout& machine,
                                       std::vector<Configuration> candidates, PackagesUsed used) {
  std::string why;
  std::vector<Configuration> possible;
  for (Configuration& where : candidates) {
    if (used == PackagesUsed::fewest) where.packages = machine.packages_for(where);
    const std::string why_not = machine.why_impossible(where, used != PackagesUsed::unknown);
    if (!why_not.empty())
      why = why_not;
    else if (possible.empty() || possible.back() != where)
      possible.push_back(where);
  }
  if (possible.empty()) throw ChoiceError(ChoiceTerm::candidates, why);
  return possible;
}

double size_to_choose_for(const std::vector<Configuration>& measured, double asked) {
  const Values sizes = values_of(measured, kSize);
  if (asked > 0) {
    refuse_unknown(ChoiceTerm::size, kSize, sizes, asked);
    return asked;
  }
  if (sizes.size() == 1) return *sizes.begin();
  throw ChoiceError(
      ChoiceTerm::size,
      fmt::format("the rows have {} problem sizes, {}: name one of them, or one between or beyond",
                  sizes.size(), values_text(sizes)));
}

Configuration reference_configuration(const std::vector<Configuration>& measured, double size,
                                      double processes, double threads, double frequency_ghz) {
  const Values frequencies = values_of(measured, kFrequency);
  const auto check = [&](std::size_t factor, double asked) {
    refuse_unknown(ChoiceTerm::reference, factor, values_of(measured, factor), asked);
  };
  if (frequency_ghz > 0) check(kFrequency, frequency_ghz);
  check(kProcesses, processes);
  check(kThreads, threads);
  const double highest = frequencies.empty() ? 1.0 : *frequencies.rbegin();
  Configuration reference{size, processes, threads, frequency_ghz > 0 ? frequency_ghz : highest};
  if (measured.empty()) return reference;
  const auto spread = [](const Configuration& where) {
    return std::tie(where.nodes, where.packages);
  };
  const Configuration* widest = nullptr;
  for (const bool same : {true, false})
    for (const Configuration& where : measured) {
      if (same ? where.processes != processes || where.threads != threads
               : widest != nullptr || where.nodes > processes)
        continue;
      if (widest == nullptr || spread(*widest) < spread(where)) widest = &where;
    }
  if (widest == nullptr) widest = measured.data();
  reference.nodes = widest->nodes;
  reference.packages = widest->packages;
  return reference;
}

std::string values_text(const std::set<double>& values) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t shown = 0;
  for (const double value : values) {
    if (++shown > kMost) return fmt::format("{}, ... {:.6g}", text, *values.rbegin());
    text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  }
  return text;
}

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
    throw ChoiceError(ChoiceTerm::candidates,
                      fmt::format("there is no configuration to choose from: {} are beyond what "
                                  "was measured, and are considered only if they are asked for",
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
