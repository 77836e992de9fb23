#include "aggregator/recommend/prediction_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "aggregator/recommend/plan_making.hpp"
#include "profiles/vocabulary/figures.hpp"

namespace huddle::recommend {
namespace {

// The words behind a predicted time in brackets; empty if there is nothing to say.
std::string certainty_of(const PatternForecast& forecast, const PatternForecast& reference) {
  if (forecast.coverage == Coverage::kNone) return std::string(kContentionUnknown);
  if (!forecast.time_low || !forecast.time_high || !(reference.time > Seconds{0})) return {};
  return change_interval_text(forecast.time_low->value, forecast.time_high->value,
                              reference.time.value);
}

std::string basis_of(const Recommendation& recommendation, const PatternForecast& forecast) {
  std::string basis =
      fmt::format("the prediction of {} rests on {}", forecast.pattern, forecast.rests_on);
  if (forecast.coverage == Coverage::kModel)
    basis += fmt::format(" whose errors on programs left out of training are {}",
                         text_of(*recommendation.model));
  return basis;
}

}  // namespace

std::string change_text(const PatternForecast& forecast, const PatternForecast& reference) {
  std::string text = fmt::format("{} % time", percent_text(forecast.slowdown));
  if (const std::string certainty = certainty_of(forecast, reference); !certainty.empty())
    text += fmt::format(" ({})", certainty);
  return text;
}

std::string time_change_text(const PatternForecast& forecast, const PatternForecast& reference) {
  return "predicted " + change_text(forecast, reference);
}

std::string energy_and_time_text(const PatternForecast& forecast,
                                 const PatternForecast& reference) {
  std::string text = change_text(forecast, reference);
  if (const std::optional<double> change = energy_change(forecast, reference))
    text += fmt::format(", {} % energy", percent_text(*change, 0));
  if (const std::optional<double> change = machine_energy_change(forecast, reference))
    text += fmt::format(" of the job, {} % of the machine", percent_text(*change, 0));
  return text;
}

std::string prediction_text(const PatternForecast& forecast, const PatternForecast& reference) {
  return "predicted " + energy_and_time_text(forecast, reference);
}

std::vector<std::string> coverage_notes(const Recommendation& recommendation) {
  std::vector<std::string> notes;
  if (const Candidate* const chosen = recommendation.chosen())
    notes.push_back(basis_of(recommendation, chosen->forecast));
  const bool unknown = std::any_of(
      recommendation.candidates.begin(), recommendation.candidates.end(),
      [](const Candidate& candidate) { return candidate.forecast.coverage == Coverage::kNone; });
  if (unknown)
    notes.emplace_back(
        "contention unknown: no run or model shows how ranks that share a die slow each other on "
        "the "
        "patterns whose prediction rests on nothing; a profile of a run that is as dense, or a "
        "model "
        "(see huddle train), would show it");
  if (recommendation.model && !recommendation.model->acceptable())
    notes.push_back(fmt::format(
        "this model's errors on programs left out of training are {}, poor: expected {}; no job is "
        "planned by it",
        text_of(*recommendation.model), predict::expected_quality()));
  return notes;
}

}  // namespace huddle::recommend
