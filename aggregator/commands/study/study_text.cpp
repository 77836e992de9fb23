#include <fmt/format.h>

#include <algorithm>

#include "aggregator/commands/study/study_output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

using render::Table;
using study::Verdict;
using enum Table::Align;

// Lines of a table by account or application; --json has all of them.
constexpr std::size_t kRows = 10;

std::string share_of(double part, double all) {
  return all > 0 ? fmt::format("{:.1f} %", 100 * part / all) : "";
}

std::string hours(double value) {
  return fmt::format("{:.{}f}", value, value < 99.5 ? 1 : 0);
}

std::string interval(const study::Uncertain& figure) {
  return fmt::format("{} to {}", hours(figure.low), hours(figure.high));
}

std::string headline(const study::SiteStudy& study) {
  const double all = study.all.node_hours();
  const study::Uncertain& freed = study.freed_node_hours;
  std::string text = fmt::format(
      "{} jobs took {} node-hours. Packing them within {:g} % more time would have freed {} of "
      "these\n({}; 90 % interval {}, {} to {}), if contention is as usual.\n",
      study.all.jobs, hours(all), 100 * study.slowdown, hours(freed.mean),
      share_of(freed.mean, all), interval(freed), share_of(freed.low, all),
      share_of(freed.high, all));
  if (study.packable.jobs > 0)
    text +=
        fmt::format("{} jobs with {} node-hours are packable with a probability of 95 % or more.\n",
                    study.packable.jobs, hours(study.packable.node_hours()));
  return text;
}

std::string verdict_table(const study::SiteStudy& study) {
  Table table({{"jobs that", kLeft}, {"jobs"}, {"node-h"}, {"share"}});
  const auto add = [&](std::string_view name, const study::JobAmount& amount) {
    table.add({std::string(name), std::to_string(amount.jobs), hours(amount.node_hours()),
               share_of(amount.node_hours(), study.all.node_hours())});
  };
  study::JobAmount unjudged;
  for (std::size_t i = 0; i < study::kVerdicts; ++i) {
    if (is_unjudged(static_cast<Verdict>(i)))
      unjudged += study.by_verdict[i];
    else if (study.by_verdict[i].jobs > 0)
      add(study::kVerdictTexts[i].text, study.by_verdict[i]);
  }
  if (unjudged.jobs == 0) return table.text();
  add("can't be judged, and are counted as no gain, since they", unjudged);
  for (std::size_t i = 0; i < study::kVerdicts; ++i)
    if (is_unjudged(static_cast<Verdict>(i)) && study.by_verdict[i].jobs > 0)
      add(fmt::format("  {}", study::kVerdictTexts[i].text), study.by_verdict[i]);
  return table.text();
}

std::string group_table(const std::string& kind, const std::vector<study::GroupStudy>& groups) {
  Table table({{kind, kLeft}, {"jobs"}, {"node-h"}, {"freed"}, {"share"}, {"90 % interval"}});
  std::size_t rows = 0;
  std::size_t left = 0;
  for (const study::GroupStudy& group : groups) {
    if (!(group.could.node_hours() > 0)) continue;
    if (++rows > kRows) {
      ++left;
      continue;
    }
    table.add({shortened(group.name, 40), std::to_string(group.all.jobs),
               hours(group.all.node_hours()), hours(group.freed_node_hours.mean),
               share_of(group.freed_node_hours.mean, group.all.node_hours()),
               interval(group.freed_node_hours)});
  }
  if (rows == 0) return {};
  return "\n" + table.text() + (left > 0 ? fmt::format("and {} more, in --json\n", left) : "");
}

std::string charge_line(const study::SiteStudy& study) {
  if (!(study.all.charge() > 0)) return {};
  const study::Uncertain& freed = study.freed_charge;
  return fmt::format(
      "\nCharged by the partitions' billing weights: {} billing-hours, and {} if packed (90 % "
      "interval {} to {}).\n",
      hours(study.all.charge()), hours(study.all.charge() - freed.mean),
      hours(study.all.charge() - freed.high), hours(study.all.charge() - freed.low));
}

std::string fates_text(const study::SiteStudy& study) {
  std::string text;
  for (const auto& [partition, node] : study.nodes)
    if (node.machine && node.machine->power)
      text += fmt::format("; in partition {} {}", shortened(partition),
                          text_of(fates_of(node.machine->unused_nodes, node.machine->nodes,
                                           partition.substr(partition.rfind('/') + 1))));
  return text;
}

// Energy of the jobs and of the machine, which differ where free nodes draw power for nobody.
std::string energy_line(const study::SiteStudy& study) {
  if (!study.asleep_kwh) return {};
  if (study.machine_kwh)
    return fmt::format(
        "Energy of these jobs: {} kWh less (90 % interval {}), by the idle power of the nodes that "
        "they free.\nEnergy of the machine: {} kWh less (90 % interval {}), since free nodes draw "
        "power, too{}.\n",
        hours(study.job_kwh->mean), interval(*study.job_kwh), hours(study.machine_kwh->mean),
        interval(*study.machine_kwh), fates_text(study));
  return fmt::format(
      "Energy: free nodes that stay on are taken to run other jobs, and save none. If they slept, "
      "they would draw {} kWh less (90 % interval {}).\n",
      hours(study.asleep_kwh->mean), interval(*study.asleep_kwh));
}

std::string measuring_table(const study::SiteStudy& study) {
  if (study.measure_first.empty()) return {};
  Table table(
      {{"measuring pays first for", kLeft}, {"measured runs"}, {"freed"}, {"90 % interval"}});
  for (const study::MeasureFirst& one : study.measure_first)
    table.add({shortened(one.application, 40), std::to_string(one.measured_runs),
               hours(one.freed_node_hours.mean), interval(one.freed_node_hours)});
  return "\n" + table.text();
}

std::string node_notes(const study::SiteStudy& study) {
  std::string text;
  for (const auto& [partition, node] : study.nodes) {
    if (node.cpus == 0)
      text += fmt::format(
          "Note: nobody knows the nodes of partition {}, since no jobs had whole nodes there: name "
          "them by --partition {}=MACHINE (see huddle machine).\n",
          shortened(partition), shortened(partition));
    else if (!node.machine)
      text += fmt::format(
          "Note: nodes of partition {} are taken to have {} CPUs, two of them a core, and {:.1f} "
          "GiB, as jobs had them; --partition {}=MACHINE says it better.\n",
          shortened(partition), node.cpus, node.memory_bytes / (1 << 30), shortened(partition));
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string study_text(const StudyReport& report) {
  const study::SiteStudy& study = report.study;
  if (study.all.jobs == 0) return "No job ran in these records.\n";
  return headline(study) + "\n" + verdict_table(study) +
         group_table("partition", study.partitions) + group_table("account", study.accounts) +
         group_table("program", study.applications) + group_table("nodes", study.sizes) +
         charge_line(study) + energy_line(study) + measuring_table(study) + node_notes(study);
}

}  // namespace huddle::cli
