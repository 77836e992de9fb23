#include <nlohmann/json.hpp>

#include "aggregator/commands/report/report_output.hpp"
#include "aggregator/commands/report/report_summary.hpp"
#include "profiles/formats/document/document.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

Json sums_of(const operations::JobSums& sums) {
  Json json;
  json["measured"] = sums.measured;
  json["packed"] = sums.packed;
  json["grouped"] = sums.grouped;
  json["left"] = sums.left;
  json["failed"] = sums.failed;
  json["no_end"] = sums.unknown_end;
  json["implausible_energies"] = sums.doubted;
  json["compared"] = sums.compared;
  json["other_workloads"] = sums.unexplained;
  json["bounds_kept"] = sums.kept;
  json["bounds_broken"] = sums.broken;
  json["saved_node_h"] = sums.saved.node_hours;
  json["saved_time_s"] = sums.saved.time.value;
  json["compared_energies"] = sums.compared_energy;
  json["saved_energy_j"] = sums.saved.energy->value;
  json["compared_charges"] = sums.compared_charge;
  json["charged_billing_h"] = sums.charge;
  json["saved_billing_h"] = *sums.saved.charge;
  return json;
}

void add_energy(Json& json, const operations::ReportedRun& run) {
  if (run.energy) json["energy_j"] = run.energy->value;
  if (run.energy_source != operations::EnergySource::kNobody)
    json["energy_source"] = name_of(run.energy_source);
  if (run.energy_source == operations::EnergySource::kDaemon && run.energy)
    json["energy_attributed_j"] = run.by_daemons->attributed.value;
  if (!run.energy_doubt.empty()) json["energy_doubt"] = utf8(run.energy_doubt);
}

Json balancing_of(const RankBalancing& balancing) {
  return {{"state", utf8(balancing.state)},
          {"imbalance", balancing.imbalance ? Json(*balancing.imbalance) : Json()},
          {"beyond_clocks", balancing.beyond_clocks},
          {"points", balancing.points},
          {"overruns", balancing.overruns},
          {"lost_s", balancing.lost.value},
          {"elapsed_s", balancing.elapsed.value}};
}

// The record as it is stored, and what the report adds to it.
Json run_of(const operations::JobReport& report, const operations::ReportedRun& run) {
  Json json = Json::parse(to_json(run.outcome));
  json.erase("format");
  json.erase("version");
  add_energy(json, run);
  if (run.charge) json["charged_billing_h"] = *run.charge;
  if (!run.partition.empty()) json["partition"] = utf8(run.partition);
  if (run.balancing) json["balancing"] = balancing_of(*run.balancing);
  if (run.used) json["efficiency"] = used_time_json(*run.used);
  if (run.is_unexplained) json["other_workload"] = true;
  if (!run.compared_with) return json;
  const operations::ReportedRun& reference = report.runs[*run.compared_with];
  Json compared;
  compared["job"] = reference.outcome.run->job;
  if (reference.outcome.run->step) compared["step"] = *reference.outcome.run->step;
  compared["nodes"] = reference.outcome.run->nodes;
  compared["elapsed_s"] = reference.outcome.end->elapsed.value;
  if (const auto slowdown = run.slowdown(reference)) compared["slowdown"] = *slowdown;
  if (run.kept_bound) compared["bound_kept"] = *run.kept_bound;
  if (run.saved) {
    compared["saved_node_h"] = run.saved->node_hours;
    compared["saved_time_s"] = run.saved->time.value;
    if (run.saved->energy) compared["saved_energy_j"] = run.saved->energy->value;
    if (run.saved->machine_energy)
      compared["machine_saved_energy_j"] = run.saved->machine_energy->value;
  }
  if (reference.charge) compared["charged_billing_h"] = *reference.charge;
  json["compared_with"] = std::move(compared);
  return json;
}

Json labels_of(const operations::LabelSums& sums) {
  Json labels = Json::object();
  for (const auto& [label, of_label] : sums.by_label) labels[utf8(label)] = sums_of(of_label);
  return labels;
}

Json users_of(const operations::JobReport& report) {
  Json users = Json::array();
  for (const auto& [user, sums] : report.by_user)
    users.push_back(
        {{"user", utf8(user)}, {"labels", labels_of(sums)}, {"total", sums_of(sums.total)}});
  return users;
}

}  // namespace

std::string report_json(const operations::JobReport& report, const ReportContext& context,
                        const std::vector<std::string>& notes, Whose whose) {
  Json json;
  json["runs"] = Json::array();
  for (const operations::ReportedRun& run : report.runs)
    if (run.wanted) json["runs"].push_back(run_of(report, run));
  json["labels"] = labels_of(report);
  if (whose == Whose::kAllUsers) json["users"] = users_of(report);
  json["total"] = sums_of(report.total);
  json["summary"] = summary_json(report, operations::summarize(report), context);
  json["notes"] = Json::array();
  for (const std::string& note : notes) json["notes"].push_back(utf8(note));
  return json.dump(1) + "\n";
}

}  // namespace huddle::cli
