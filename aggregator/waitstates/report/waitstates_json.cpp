#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aggregator/waitstates/report/waitstates_output.hpp"

namespace huddle::waitstates {
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
  for (const CriticalInterval& interval : path.intervals)
    json["stretches"].push_back(
        {{"rank", interval.rank}, {"begin_s", s(interval.begin)}, {"end_s", s(interval.end)}});
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

Json delays_json(const WaitAnswer& answer, const DelayReport& delays) {
  const double tick = 1 / static_cast<double>(answer.report.ticks_per_second);
  Json json = {{"waiting_s", answer.seconds(delays.waiting)}};
  json["shares"] = Json::array();
  for (const DelayCost& cost : delays.costs)
    json["shares"].push_back({{"call_path", path_number(answer.report, cost.call_path)},
                              {"rank", cost.rank},
                              {"short_term_s", cost.short_term * tick},
                              {"long_term_s", cost.long_term * tick}});
  return json;
}

Json trace_efficiency_json(const WaitAnswer& answer, const TraceEfficiency& found) {
  return {{"run_time_s", answer.seconds(found.run_time)},
          {"ideal_run_time_s", answer.seconds(found.ideal_run_time)},
          {"parallel_efficiency", found.parallel()},
          {"load_balance", found.load_balance()},
          {"communication_efficiency", found.communication()},
          {"serialisation_efficiency", found.serialisation()},
          {"transfer_efficiency", found.transfer()},
          {"circles", found.circles}};
}

Json outcome_json(const WaitAnswer& answer, const WhatIfOutcome& outcome) {
  Json json = {{"run_time_s", answer.seconds(outcome.run_time)},
               {"set_up_s", answer.seconds(outcome.set_up)},
               {"energy_j", joules(outcome.energy.busy_nj)},
               {"energy_waiting_idle_j", joules(outcome.energy.idle_nj)}};
  json["ranks"] = Json::array();
  for (std::size_t rank = 0; rank < outcome.ranks.size(); ++rank) {
    const ReplayedRank& replayed = outcome.ranks[rank];
    Json entry = {{"rank", rank},
                  {"computation_s", answer.seconds(replayed.computation)},
                  {"transfer_s", answer.seconds(replayed.transfer)},
                  {"waiting_s", answer.seconds(replayed.waiting)},
                  {"outside_s", answer.seconds(replayed.outside)},
                  {"set_up_s", answer.seconds(replayed.set_up)}};
    if (rank < outcome.states.size())
      entry["power_state"] = answer.report.power.states.at(outcome.states[rank]).name;
    json["ranks"].push_back(std::move(entry));
  }
  return json;
}

Json what_if_json(const WaitAnswer& answer, const WhatIfReport& what_if) {
  return {{"what_if", what_if.request.text},
          {"measured_run_time_s", answer.seconds(what_if.measured_run_time)},
          {"changed_computation_s", answer.seconds(what_if.touched)},
          {"circles", what_if.circles},
          {"unchanged", outcome_json(answer, what_if.unchanged)},
          {"changed", outcome_json(answer, what_if.changed)}};
}

void add_study(Json& json, const WaitAnswer& answer) {
  const RunStudy& study = *answer.study;
  if (study.critical_path) json["critical_path"] = critical_path_json(answer, *study.critical_path);
  if (study.slack) json["slack"] = slack_json(answer, *study.slack);
  if (study.efficiency) json["efficiency"] = trace_efficiency_json(answer, *study.efficiency);
  if (study.delays) json["delays"] = delays_json(answer, *study.delays);
  if (study.what_ifs.empty()) return;
  json["what_if"] = Json::array();
  for (const WhatIfReport& what_if : study.what_ifs)
    json["what_if"].push_back(what_if_json(answer, what_if));
}

// What huddle waitstates --json prints.

Json winners_json(const WaitReport& report, const std::vector<std::uint64_t>& winners) {
  Json json = Json::object();
  for (std::size_t i = 0; i < winners.size() && i < report.power.states.size(); ++i)
    json[report.power.states[i].name] = winners[i];
  return json;
}

void add_sums(Json& json, const WaitAnswer& answer, const WaitSums& waits) {
  json["count"] = waits.count;
  json["time_s"] = answer.seconds(waits.ticks);
  json["longest_s"] = answer.seconds(waits.longest);
  json["energy_j"] = joules(waits.energy.spent_nj);
  json["esp_j"] = joules(waits.energy.saving_nj);
  json["esp_bw_j"] = joules(waits.energy.busy_saving_nj);
}

Json pattern_json(const WaitAnswer& answer, WaitPattern pattern, const WaitSums& waits) {
  const double spent = joules(waits.energy.spent_nj);
  Json json = {{"pattern", name_of(pattern)}, {"title", title_of(pattern)}};
  add_sums(json, answer, waits);
  json["esp_percent"] = percent_of(joules(waits.energy.saving_nj), spent);
  json["esp_bw_percent"] = percent_of(joules(waits.energy.busy_saving_nj), spent);
  json["winners"] = winners_json(answer.report, waits.energy.winners);
  json["busy_winners"] = winners_json(answer.report, waits.energy.busy_winners);
  return json;
}

Json patterns_json(const WaitAnswer& answer) {
  Json array = Json::array();
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    array.push_back(pattern_json(answer, static_cast<WaitPattern>(i), answer.sums.patterns[i]));
  return array;
}

Json power_json(const PowerStates& power) {
  const PowerLimits limits = limits_of(power);
  Json states = Json::array();
  for (const PowerState& state : power.states) {
    Json json = {{"name", state.name},
                 {"active_w", state.active_w},
                 {"idle_w", state.idle_w},
                 {"transition_s", state.transition_s},
                 {"transition_j", state.transition_j}};
    if (state.frequency_hz > 0) json["frequency_hz"] = state.frequency_hz;
    states.push_back(std::move(json));
  }
  return {{"machine", power.machine},
          {"origin", power.origin},
          {"most_idle_percent", 100 * limits.idle},
          {"most_busy_percent", 100 * limits.busy},
          {"states", std::move(states)}};
}

Json measured_json(const WaitAnswer& answer) {
  Json nodes = Json::array();
  for (const MeasuredNode& node : answer.report.measured)
    nodes.push_back({{"node", node.node},
                     {"sensors", node.sensors},
                     {"mean_w", node.mean_w},
                     {"begin_s", answer.seconds(node.begin)},
                     {"end_s", answer.seconds(node.end)},
                     {"samples", node.samples}});
  return nodes;
}

// Outermost first.
Json regions_of(const WaitReport& report, std::uint32_t path) {
  std::vector<std::string> regions = {report.call_paths[path].region};
  for (std::uint32_t above = report.call_paths[path].parent; above < path;
       path = above, above = report.call_paths[path].parent)
    regions.push_back(report.call_paths[above].region);
  std::reverse(regions.begin(), regions.end());
  return regions;
}

Json time_by_pattern(const WaitAnswer& answer,
                     const std::array<std::uint64_t, kWaitPatterns>& ticks) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    if (ticks[i] > 0)
      json[std::string(name_of(static_cast<WaitPattern>(i)))] = answer.seconds(ticks[i]);
  return json;
}

Json call_path_json(const WaitAnswer& answer, std::uint32_t index) {
  const CallPath& path = answer.report.call_paths[index];
  const PathTotals& own = answer.sums.exclusive[index];
  const PathTotals& whole = answer.sums.inclusive[index];
  Json json = {{"path", regions_of(answer.report, index)},
               {"parent", path.parent < index ? Json(path.parent) : Json()},
               {"mpi", path.mpi},
               {"visits", own.visits},
               {"time_s", answer.seconds(own.ticks)},
               {"inclusive_time_s", answer.seconds(whole.ticks)},
               {"waiting_s", answer.seconds(own.waits.ticks)},
               {"inclusive_waiting_s", answer.seconds(whole.waits.ticks)},
               {"energy_j", joules(own.waits.energy.spent_nj)},
               {"esp_j", joules(own.waits.energy.saving_nj)},
               {"esp_bw_j", joules(own.waits.energy.busy_saving_nj)},
               {"patterns", time_by_pattern(answer, own.by_pattern)}};
  if (!path.file.empty()) {
    json["file"] = path.file;
    json["line"] = path.line;
  }
  return json;
}

Json location_json(const WaitAnswer& answer, std::size_t index) {
  const ReportLocation& at = answer.report.locations[index];
  const LocationTotals& sums = answer.sums.locations[index];
  return {{"rank", at.rank},
          {"thread", at.thread},
          {"node", at.node},
          {"name", at.name},
          {"events", at.events},
          {"time_s", answer.seconds(sums.ticks)},
          {"mpi_s", answer.seconds(sums.mpi)},
          {"waiting_s", answer.seconds(sums.waits.ticks)},
          {"waits", sums.waits.count},
          {"energy_j", joules(sums.waits.energy.spent_nj)},
          {"esp_j", joules(sums.waits.energy.saving_nj)},
          {"esp_bw_j", joules(sums.waits.energy.busy_saving_nj)},
          {"patterns", time_by_pattern(answer, sums.by_pattern)}};
}

Json waits_entry(const WaitAnswer& answer, const PathWaits& waits) {
  const ReportLocation& at = answer.report.locations[waits.location];
  Json json = {{"pattern", name_of(waits.pattern)},
               {"call_path", waits.call_path},
               {"rank", at.rank},
               {"thread", at.thread}};
  WaitSums sums;
  sums.add(waits);
  add_sums(json, answer, sums);
  return json;
}

Json anomalies_json(const WaitAnswer& answer) {
  const TraceAnomalies& found = answer.report.anomalies;
  return {{"receives_without_send", found.receives_without_send},
          {"sends_without_receive", found.sends_without_receive},
          {"requests_without_end", found.requests_without_end},
          {"unfinished_collectives", found.unfinished_collectives},
          {"regions_without_end", found.regions_without_end},
          {"clock_violations", found.clock_violations},
          {"largest_clock_violation_s", answer.seconds(found.largest_clock_violation)}};
}

}  // namespace

std::string waits_json(const WaitAnswer& answer) {
  const WaitReport& report = answer.report;
  Json json = {{"trace", report.trace},
               {"program", report.program},
               {"ranks", answer.sums.ranks},
               {"locations", report.locations.size()},
               {"nodes", answer.sums.nodes},
               {"events", report.events},
               {"run_time_s", answer.run_time_s()},
               {"time_s", answer.seconds(answer.sums.ticks)},
               {"mpi_s", answer.seconds(answer.sums.mpi)},
               {"file_access_s", answer.seconds(answer.sums.file_access)},
               {"waiting_s", answer.seconds(answer.sums.waits.ticks)},
               {"energy_j", joules(answer.sums.waits.energy.spent_nj)},
               {"esp_j", joules(answer.sums.waits.energy.saving_nj)},
               {"esp_bw_j", joules(answer.sums.waits.energy.busy_saving_nj)},
               {"power_states", power_json(report.power)},
               {"measured_power", measured_json(answer)},
               {"patterns", patterns_json(answer)}};
  json["call_paths"] = Json::array();
  for (std::uint32_t i = 0; i < report.call_paths.size(); ++i)
    json["call_paths"].push_back(call_path_json(answer, i));
  json["ranks_detail"] = Json::array();
  for (std::size_t i = 0; i < report.locations.size(); ++i)
    json["ranks_detail"].push_back(location_json(answer, i));
  json["waits"] = Json::array();
  for (const PathWaits& waits : report.waits) json["waits"].push_back(waits_entry(answer, waits));
  json["anomalies"] = anomalies_json(answer);
  json["remarks"] = report.remarks;
  if (answer.study != nullptr) add_study(json, answer);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace huddle::waitstates
