#include <cmath>
#include <nlohmann/json.hpp>

#include "aggregator/commands/study/study_output.hpp"
#include "aggregator/render/webpage/web_page.hpp"
#include "profiles/formats/document/document.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using study::Verdict;

Json amount_of(const study::JobAmount& amount) {
  return {{"jobs", amount.jobs}, {"node_h", amount.node_hours()}, {"charge_h", amount.charge()}};
}

// Six digits are more than anybody knows, and the same on all processors.
double rounded(double value) {
  constexpr double kDigits = 6;
  if (!(std::abs(value) > 0) || !std::isfinite(value)) return value;
  const double scale = std::pow(10, kDigits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Json uncertain(const study::Uncertain& figure) {
  return {
      {"mean", rounded(figure.mean)}, {"low", rounded(figure.low)}, {"high", rounded(figure.high)}};
}

Json groups_of(const std::vector<study::GroupStudy>& groups) {
  Json list = Json::array();
  for (const study::GroupStudy& group : groups)
    list.push_back({{"name", utf8(group.name)},
                    {"all", amount_of(group.all)},
                    {"could_use_fewer", amount_of(group.could)},
                    {"freed_node_h", uncertain(group.freed_node_hours)},
                    {"freed_charge_h", uncertain(group.freed_charge)}});
  return list;
}

Json verdicts_of(const study::SiteStudy& study) {
  Json list = Json::array();
  for (std::size_t i = 0; i < study::kVerdicts; ++i) {
    Json one = {{"verdict", study::kVerdictTexts[i].key},
                {"judged", !is_unjudged(static_cast<Verdict>(i))}};
    one.update(amount_of(study.by_verdict[i]));
    list.push_back(std::move(one));
  }
  return list;
}

Json nodes_of(const study::SiteStudy& study) {
  Json list = Json::array();
  for (const auto& [partition, node] : study.nodes)
    list.push_back({{"partition", utf8(partition)},
                    {"cpus", node.cpus == 0 ? Json() : Json(node.cpus)},
                    {"cpus_per_core", node.cpus_per_core},
                    {"memory_bytes", node.memory_bytes > 0 ? Json(node.memory_bytes) : Json()},
                    {"machine", node.machine ? Json(utf8(node.machine->name)) : Json()}});
  return list;
}

Json document_of(const StudyReport& report) {
  const study::SiteStudy& study = report.study;
  Json json = {{"format", "huddle/study"},
               {"version", 1},
               {"slowdown", study.slowdown},
               {"lines", report.lines},
               {"broken_lines", report.faults.broken_lines},
               {"stray_steps", report.faults.stray_steps},
               {"never_ran", study.never_ran},
               {"all", amount_of(study.all)},
               {"verdicts", verdicts_of(study)},
               {"packable", amount_of(study.packable)},
               {"freed_node_h", uncertain(study.freed_node_hours)},
               {"freed_charge_h", uncertain(study.freed_charge)},
               {"partitions", groups_of(study.partitions)},
               {"accounts", groups_of(study.accounts)},
               {"applications", groups_of(study.applications)},
               {"sizes", groups_of(study.sizes)}};
  if (study.asleep_kwh) json["asleep_kwh"] = uncertain(*study.asleep_kwh);
  if (study.job_kwh) json["job_kwh"] = uncertain(*study.job_kwh);
  if (study.machine_kwh) json["machine_kwh"] = uncertain(*study.machine_kwh);
  json["measure_first"] = Json::array();
  for (const study::MeasureFirst& one : study.measure_first)
    json["measure_first"].push_back({{"application", utf8(one.application)},
                                     {"freed_node_h", uncertain(one.freed_node_hours)},
                                     {"measured_runs", one.measured_runs}});
  json["nodes"] = nodes_of(study);
  json["notes"] = Json::array();
  for (const std::string& note : report.notes) json["notes"].push_back(utf8(note));
  return json;
}

// The first of the groups that have something to free, and how many more there are: a site may have
// many thousand programs.
Json first_of(const Json& groups, std::uint64_t& more) {
  constexpr std::size_t kShown = 20;
  Json shown = Json::array();
  more = 0;
  for (const Json& group : groups) {
    if (group["could_use_fewer"]["jobs"] == 0) continue;
    if (shown.size() < kShown)
      shown.push_back(group);
    else
      ++more;
  }
  return shown;
}

}  // namespace

std::string study_json(const StudyReport& report) {
  return document_of(report).dump(1) + "\n";
}

std::string study_page(const StudyReport& report) {
  Json json = document_of(report);
  for (std::size_t i = 0; i < study::kVerdicts; ++i)
    json["verdicts"][i]["text"] = study::kVerdictTexts[i].text;
  for (const char* const kind : {"partitions", "accounts", "applications", "sizes"}) {
    std::uint64_t more = 0;
    json[kind] = first_of(json[kind], more);
    json["more"][kind] = more;
  }
  return render::web_page(render::kStudyPage, json);
}

}  // namespace huddle::cli
