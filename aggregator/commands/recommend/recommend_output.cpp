// The output of huddle recommend, for people and as JSON.

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "aggregator/commands/common/pattern_table.hpp"
#include "aggregator/commands/recommend/recommend_answer.hpp"
#include "aggregator/recommend/prediction_text.hpp"
#include "profiles/formats/plan/plan_members.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::cli {
namespace {

nlohmann::ordered_json json_of(const balance::BalanceAdvice& advice) {
  return {{"saved", advice.saved},
          {"slowdown", advice.slowdown},
          {"imbalance", std::isfinite(advice.imbalance) ? nlohmann::ordered_json(advice.imbalance)
                                                        : nlohmann::ordered_json()}};
}

std::string sentence_of(const std::string& note) {
  std::string sentence = note;
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(note.front())));
  return sentence + ".\n";
}

std::string table_and_choice(const recommend::Recommendation& recommendation) {
  std::vector<PatternForecast> ranked;
  for (const recommend::Candidate& candidate : recommendation.candidates)
    ranked.push_back(candidate.forecast);
  const recommend::Candidate* chosen = recommendation.chosen();
  std::string text = pattern_table(recommendation.reference_forecast, ranked, chosen != nullptr);
  if (chosen == nullptr) return text + "\nNo pattern is feasible: stay with the reference.\n";
  if (chosen->forecast.nodes >= recommendation.reference.nodes &&
      chosen->forecast.pattern == recommendation.reference.pattern &&
      chosen->forecast.frequency == recommendation.reference_forecast.frequency)
    return text + "\nNo gain over the reference.\n";
  const std::optional<Hertz> frequency = chosen->forecast.frequency;
  const std::string at_frequency = frequency ? " at " + text_of(*frequency) : "";
  return text + fmt::format("\nTake {} on {} of {} nodes{}: {}.\n", chosen->forecast.pattern,
                            chosen->forecast.nodes, recommendation.reference.nodes, at_frequency,
                            recommend::prediction_text(chosen->forecast,
                                                       recommendation.reference_forecast));
}

// A method in words, and its name in --computation.
std::string_view described(ComputationMethod method) {
  switch (method) {
    case ComputationMethod::kPaper:
      return "by the published regression (--computation paper)";
    case ComputationMethod::kShared:
      return "by a model of contention for caches and memory (--computation shared)";
    case ComputationMethod::kPrior:
      return "by contention for caches and memory as it usually is (--computation prior)";
    case ComputationMethod::kSimple:
      break;
  }
  return "to be as on the measured one whose ranks share most alike (--computation simple)";
}

}  // namespace

std::string recommend_json(const RecommendAnswer& answer) {
  const recommend::Recommendation& recommendation = answer.recommendation;
  nlohmann::ordered_json document;
  const recommend::Candidate* chosen = recommendation.chosen();
  document["chosen"] = chosen != nullptr ? nlohmann::ordered_json(chosen->forecast.pattern)
                                         : nlohmann::ordered_json();
  document["reference"] = recommendation.reference.pattern;
  document["slowdown_bound"] = answer.bound;
  document["computation"] = name_of(recommendation.computation);
  if (answer.balance) document["clocks_that_follow_loads"] = json_of(*answer.balance);
  if (!answer.unused_nodes.empty()) document["unused_nodes"] = answer.unused_nodes;
  document["notes"] = recommendation.notes;
  for (const std::string& note : recommendation.choice_notes) document["notes"].push_back(note);
  for (const std::string& note : recommend::coverage_notes(recommendation))
    document["notes"].push_back(note);
  document["reference_forecast"] = object_of(recommendation.reference_forecast, Unknown::kNull);
  document["patterns"] = nlohmann::ordered_json::array();
  for (const recommend::Candidate& candidate : recommendation.candidates)
    document["patterns"].push_back(object_of(candidate.forecast, Unknown::kNull));
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string recommend_text(const RecommendAnswer& answer) {
  const recommend::Recommendation& recommendation = answer.recommendation;
  std::string text = table_and_choice(recommendation);
  text += fmt::format("Computation on patterns that were not run is predicted {}.\n",
                      described(recommendation.computation));
  for (const std::string& note : recommend::coverage_notes(recommendation))
    text += sentence_of(note);
  if (!answer.unused_nodes.empty()) text += answer.unused_nodes + ".\n";
  if (answer.balance) text += sentence_of(text_of(*answer.balance));
  return text;
}

}  // namespace huddle::cli
