#include <nlohmann/json.hpp>

#include "aggregator/waitstates/report/run_study_output.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

// An index of `call_paths`, or null for what no region is known of.
Json path_number(const WaitReport& report, std::uint32_t path) {
  return path < report.call_paths.size() ? Json(path) : Json();
}

Json critical_path_json(const WaitAnswer& answer, const CriticalPath& path) {
  const auto s = [&](std::uint64_t ticks) { return answer.seconds(ticks); };
  Json json = {{"run_time_s", s(path.run_time)},
               {"jumps", path.jumps},
               {"computation_s", s(path.computation)},
               {"waiting_s", s(path.waiting)},
               {"lost_s", s(path.lost)},
               {"contradictions", path.contradictions}};
  json["call_paths"] = Json::array();
  for (const CriticalCallPath& entry : path.call_paths)
    json["call_paths"].push_back({{"call_path", path_number(answer.report, entry.call_path)},
                                  {"on_path_s", s(entry.on_path)},
                                  {"imbalance_s", s(entry.imbalance)}});
  json["shares"] = Json::array();
  for (const CriticalPathShare& share : path.shares)
    json["shares"].push_back({{"call_path", path_number(answer.report, share.call_path)},
                              {"rank", share.rank},
                              {"on_path_s", s(share.on_path)},
                              {"time_s", s(share.ticks)}});
  json["stretches"] = Json::array();
  for (const CriticalStretch& stretch : path.stretches)
    json["stretches"].push_back(
        {{"rank", stretch.rank}, {"begin_s", s(stretch.begin)}, {"end_s", s(stretch.end)}});
  return json;
}

Json slack_json(const WaitAnswer& answer, const SlackReport& slack) {
  const auto s = [&](std::uint64_t ticks) { return answer.seconds(ticks); };
  Json json = {{"run_time_s", s(slack.run_time)},
               {"stretched_run_time_s", s(slack.stretched_run_time)}};
  json["ranks"] = Json::array();
  for (std::size_t rank = 0; rank < slack.ranks.size(); ++rank)
    json["ranks"].push_back({{"rank", rank},
                             {"computation_s", s(slack.ranks[rank].computation)},
                             {"stretch", slack.ranks[rank].stretch}});
  json["call_paths"] = Json::array();
  for (const PathSlack& entry : slack.call_paths)
    json["call_paths"].push_back({{"call_path", path_number(answer.report, entry.call_path)},
                                  {"rank", entry.rank},
                                  {"computation_s", s(entry.computation)},
                                  {"critical_s", s(entry.critical)},
                                  {"largest_total_s", s(entry.largest_total)},
                                  {"apportioned_s", s(entry.apportioned)}});
  return json;
}

Json outcome_json(const WaitAnswer& answer, const WhatIfOutcome& outcome) {
  Json json = {{"run_time_s", answer.seconds(outcome.run_time)},
               {"energy_j", joules(outcome.energy.busy_nj)},
               {"energy_waiting_idle_j", joules(outcome.energy.idle_nj)}};
  json["ranks"] = Json::array();
  for (std::size_t rank = 0; rank < outcome.ranks.size(); ++rank) {
    const ReplayedRank& replayed = outcome.ranks[rank];
    Json entry = {{"rank", rank},
                  {"computation_s", answer.seconds(replayed.computation)},
                  {"transfer_s", answer.seconds(replayed.transfer)},
                  {"waiting_s", answer.seconds(replayed.waiting)},
                  {"outside_s", answer.seconds(replayed.outside)}};
    if (rank < outcome.states.size())
      entry["power_state"] = answer.report.power.states.at(outcome.states[rank]).name;
    json["ranks"].push_back(std::move(entry));
  }
  return json;
}

Json what_if_json(const WaitAnswer& answer, const WhatIfReport& what_if) {
  return {{"what_if", what_if.asked.text},
          {"measured_run_time_s", answer.seconds(what_if.measured_run_time)},
          {"changed_computation_s", answer.seconds(what_if.touched)},
          {"circles", what_if.circles},
          {"unchanged", outcome_json(answer, what_if.unchanged)},
          {"changed", outcome_json(answer, what_if.changed)}};
}

}  // namespace

void add_study(Json& json, const WaitAnswer& answer) {
  const RunStudy& study = *answer.study;
  if (study.critical_path) json["critical_path"] = critical_path_json(answer, *study.critical_path);
  if (study.slack) json["slack"] = slack_json(answer, *study.slack);
  if (study.what_ifs.empty()) return;
  json["what_if"] = Json::array();
  for (const WhatIfReport& what_if : study.what_ifs)
    json["what_if"].push_back(what_if_json(answer, what_if));
}

}  // namespace huddle
