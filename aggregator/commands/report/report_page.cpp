#include "aggregator/commands/report/report_output.hpp"
#include "aggregator/commands/report/report_summary.hpp"
#include "aggregator/render/webpage/web_page.hpp"
#include "profiles/formats/document/document.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
void add_known(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

Json figures_of(const operations::RunFigures& figures) {
  Json json = {{"runs", figures.runs},
               {"measured", figures.measured},
               {"packed", figures.packed},
               {"left", figures.left},
               {"compared", figures.compared},
               {"bounds_kept", figures.kept},
               {"bounds_broken", figures.broken},
               {"submitted_node_h", figures.submitted_node_hours},
               {"freed_node_h", figures.freed_node_hours},
               {"freed_share", figures.freed_share()},
               {"compared_energies", figures.compared_energy},
               {"energy_before_j", figures.energy_before.value},
               {"energy_after_j", figures.energy_after.value}};
  if (figures.machine_saved) json["machine_saved_j"] = figures.machine_saved->value;
  return json;
}

Json named_figures(const std::vector<operations::NamedFigures>& list) {
  Json json = Json::array();
  for (const operations::NamedFigures& one : list) {
    Json entry = {{"name", utf8(one.name)}};
    entry.update(figures_of(one.figures));
    json.push_back(std::move(entry));
  }
  return json;
}

Json reason_of(const operations::LeftReason& reason) {
  return {{"reason", utf8(reason.reason)}, {"runs", reason.runs}, {"node_h", reason.node_hours}};
}

Json worst_of(const operations::JobReport& report, const operations::ReportedRun& run) {
  Json json = {{"job", job_name(*run.outcome.run)},
               {"user", utf8(run.outcome.user)},
               {"label", utf8(run.outcome.label)},
               {"start", huddle::text_of(run.outcome.run->start)},
               {"slowdown_bound", *run.outcome.prediction->slowdown_bound}};
  add_known(json, "slowdown", run.slowdown(report.runs[*run.compared_with]));
  return json;
}

Json rates_of(const ReportContext& context, const operations::RunFigures& figures) {
  const SiteRates& rates = context.rates;
  const SavedByRates saved = saved_by(rates, figures);
  Json json = Json::object();
  if (!rates.currency.empty()) json["currency"] = utf8(rates.currency);
  add_known(json, "node_hour_price", rates.node_hour_price);
  add_known(json, "kwh_price", rates.kwh_price);
  add_known(json, "co2_g_per_kwh", rates.co2_g_per_kwh);
  add_known(json, "saved_node_hours_money", saved.node_hours_money);
  add_known(json, "saved_energy_money", saved.energy_money);
  add_known(json, "saved_co2_kg", saved.co2_kg);
  add_known(json, "machine_saved_co2_kg", saved.machine_co2_kg);
  return json;
}

Json control_of(const operations::ControlledSaving& control) {
  Json json = {{"control", control.control},
               {"packed", control.packed},
               {"control_failed", control.control_failed},
               {"packed_failed", control.packed_failed}};
  if (!control.saved_node_hours) return json;
  json["saved_node_h"] = *control.saved_node_hours;
  json["saved_low_node_h"] = control.low_node_hours;
  json["saved_high_node_h"] = control.high_node_hours;
  json["submitted_node_h"] = control.submitted_node_hours;
  return json;
}

}  // namespace

nlohmann::ordered_json summary_json(const operations::JobReport& report,
                                    const operations::PeriodSummary& summary,
                                    const ReportContext& context) {
  const operations::MeasuringCost& cost = summary.measuring;
  Json json = {{"format", "huddle/report"}, {"version", 1}};
  if (summary.first) json["first"] = huddle::text_of(*summary.first);
  if (summary.last) json["last"] = huddle::text_of(*summary.last);
  json["users"] = summary.users;
  json["all"] = figures_of(summary.all);
  json["months"] = named_figures(summary.months);
  json["partitions"] = named_figures(summary.partitions);
  json["measuring"] = {{"runs", cost.runs},
                       {"node_h", cost.node_hours},
                       {"second_runs", cost.second_runs},
                       {"second_more_node_h", cost.second_node_hours},
                       {"second_more_s", cost.second_time.value}};
  if (summary.control) json["control_group"] = control_of(*summary.control);
  json["programs"] = programs_json(summary.programs);
  json["left_reasons"] = Json::array();
  for (const operations::LeftReason& reason : summary.left)
    json["left_reasons"].push_back(reason_of(reason));
  json["left_otherwise"] = {{"runs", summary.left_otherwise.runs},
                            {"node_h", summary.left_otherwise.node_hours}};
  if (summary.worst) json["worst_promise"] = worst_of(report, report.runs[*summary.worst]);
  json["unused_nodes"] = {{"text", utf8(context.unused_nodes)}, {"assumed", context.is_assumed}};
  json["rates"] = rates_of(context, summary.all);
  return json;
}

std::string report_page(const operations::JobReport& report,
                        const operations::PeriodSummary& summary, const ReportContext& context,
                        const std::vector<std::string>& notes) {
  Json json = summary_json(report, summary, context);
  json["notes"] = Json::array();
  for (const std::string& note : notes) json["notes"].push_back(utf8(note));
  return render::web_page(render::kReportPage, json);
}

}  // namespace huddle::cli
