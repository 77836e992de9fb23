#include <nlohmann/json.hpp>

#include <cmath>

#include "aggregator/commands/explain/explanation.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/formats/policy/site_switch.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

// Documents as they are stored, without what says which format they are in.
Json inner(const std::string& document) {
  Json json = Json::parse(document);
  json.erase("format");
  json.erase("version");
  return json;
}

Json measured_json(const MeasuredRuns& measured) {
  Json json;
  json["profiles"] = measured.profiles;
  if (measured.profiles == 0) return json;
  if (!measured.unreadable.empty()) {
    json["newest_unknown"] = utf8(measured.unreadable);
    return json;
  }
  Json newest;
  if (!measured.day.empty()) newest["day"] = utf8(measured.day);
  if (measured.job != 0) newest["job"] = measured.job;
  newest["nodes"] = measured.nodes;
  json["newest"] = std::move(newest);
  return json;
}

Json plan_json(const Explanation& explanation) {
  Json json;
  json["file"] = utf8(explanation.plan_file.string());
  json["followed"] = explanation.plan.has_value();
  if (!explanation.plan_unreadable.empty()) json["unreadable"] = utf8(explanation.plan_unreadable);
  if (!explanation.plan) return json;
  const Plan& plan = *explanation.plan;
  json["reason"] = utf8(plan.reason);
  json["pattern"] = utf8(plan.chosen.pattern);
  json["nodes"] = plan.chosen.nodes;
  json["reference_nodes"] = plan.reference.nodes;
  if (plan.predicts_time()) {
    json["predicted_slowdown"] = plan.chosen.slowdown;
    if (plan.chosen.time_low && plan.chosen.time_high && plan.reference.time > Seconds{0}) {
      json["predicted_slowdown_low"] = *plan.chosen.time_low / plan.reference.time - 1;
      json["predicted_slowdown_high"] = *plan.chosen.time_high / plan.reference.time - 1;
    }
  }
  if (plan.chosen.coverage) json["coverage"] = name_of(*plan.chosen.coverage);
  if (!plan.chosen.rests_on.empty()) json["rests_on"] = utf8(plan.chosen.rests_on);
  return json;
}

Json recorded_json(const operations::JobSums& sums) {
  Json json;
  json["measured"] = sums.measured;
  json["packed"] = sums.packed;
  json["grouped"] = sums.grouped;
  json["left"] = sums.left;
  json["failed"] = sums.failed;
  json["no_end"] = sums.unknown_end;
  json["compared_charges"] = sums.compared_charge;
  json["charged_billing_h"] = sums.charge;
  json["saved_billing_h"] = *sums.saved.charge;
  return json;
}

Json times_json(std::size_t jobs, Seconds mean) {
  Json json;
  json["jobs"] = jobs;
  if (jobs > 0) json["mean_s"] = std::round(mean.value * 1e3) / 1e3;
  return json;
}

Json compared_json(const planning::PromiseVerdict& runs) {
  Json json;
  json["as_submitted"] = times_json(runs.runs_as_submitted, runs.time_as_submitted);
  json["packed"] = times_json(runs.packed_runs, runs.packed_time);
  if (runs.unexplained_runs > 0)
    json["unexplained"] = {{"jobs", runs.unexplained_runs}, {"change", runs.unexplained_change}};
  if (runs.runs_as_submitted == 0 || runs.packed_runs == 0) return json;
  json["slowdown"] = runs.slowdown;
  json["slowdown_low"] = runs.low;
  json["slowdown_high"] = runs.high;
  return json;
}

Json next_json(const NextSubmission& next) {
  Json json;
  json["known"] = next.decision.has_value();
  if (!next.decision) {
    json["reason"] = utf8(next.why_unknown);
    return json;
  }
  json["decision"] = inner(to_json(*next.decision));
  json["by_stored_plan"] = next.by_stored_plan;
  json["assumes"] = Json::array();
  for (const std::string& assumption : next.assumptions)
    json["assumes"].push_back(utf8(assumption));
  return json;
}

Json explanation_json(const Explanation& explanation) {
  Json json;
  json["user"] = utf8(explanation.key.user);
  json["label"] = utf8(explanation.key.label);
  json["ranks"] = explanation.key.ranks;
  json["measured"] = measured_json(explanation.measured);
  if (!explanation.plan_file.empty()) json["plan"] = plan_json(explanation);
  json["recorded"] = recorded_json(explanation.recorded);
  if (explanation.plan && explanation.plan->packs())
    json["compared"] = compared_json(explanation.compared);
  if (!explanation.teams.empty()) json["teams"] = utf8(explanation.teams);
  for (const store::SizesConsent& consent : explanation.sizes)
    json["sizes"].push_back({{"build_id", consent.build_id},
                             {"program", utf8(consent.program)},
                             {"state", word_of(consent.state)}});
  json["steps"] = Json::array();
  for (const Outcome& step : explanation.steps) json["steps"].push_back(inner(to_json(step)));
  json["next"] = next_json(explanation.next);
  return json;
}

}  // namespace

std::string explanations_json(const std::vector<Explanation>& explanations,
                              const std::vector<std::string>& notes,
                              const std::filesystem::path& policy_file) {
  Json json;
  json["explanations"] = Json::array();
  for (const Explanation& explanation : explanations)
    json["explanations"].push_back(explanation_json(explanation));
  json["notes"] = Json::array();
  for (const std::string& note : notes) json["notes"].push_back(utf8(note));
  const std::filesystem::path stopped = present_stop_file(policy_file);
  json["stopped"] = stopped.empty() ? Json(nullptr) : Json(utf8(stopped.string()));
  for (const std::filesystem::path& file : stop_files(policy_file))
    json["stop_files"].push_back(utf8(file.string()));
  return json.dump(1) + "\n";
}

}  // namespace huddle::cli
