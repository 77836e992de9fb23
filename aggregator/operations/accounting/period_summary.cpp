#include "aggregator/operations/accounting/period_summary.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

namespace huddle::operations {
namespace {

constexpr std::size_t kReasons = 5;

// The part of the time beyond the bound, against the run that it is compared with.
double excess_of(const ReportedRun& run, const ReportedRun& before) {
  return run.slowdown(before).value_or(0) - *run.outcome.prediction->slowdown_bound;
}

void add_measuring(MeasuringCost& cost, const ReportedRun& run, const ReportedRun* before) {
  if (run.outcome.treatment != Treatment::kMeasured || !run.outcome.end) return;
  ++cost.runs;
  cost.node_hours += run.node_hours();
  if (before == nullptr) return;
  ++cost.second_runs;
  cost.second_node_hours += run.node_hours() - before->node_hours();
  cost.second_time += run.outcome.end->elapsed - before->outcome.end->elapsed;
}

std::vector<NamedFigures> named(std::map<std::string, RunFigures> figures) {
  std::vector<NamedFigures> list;
  for (auto& [name, of_name] : figures) list.push_back({name, of_name});
  return list;
}

void keep_commonest(PeriodSummary& summary, const std::map<std::string, LeftReason>& reasons) {
  for (const auto& [kind, reason] : reasons) summary.left.push_back(reason);
  std::ranges::stable_sort(
      summary.left, [](const LeftReason& a, const LeftReason& b) { return a.runs > b.runs; });
  while (summary.left.size() > kReasons) {
    summary.left_otherwise.runs += summary.left.back().runs;
    summary.left_otherwise.node_hours += summary.left.back().node_hours;
    summary.left.pop_back();
  }
}

}  // namespace

void RunFigures::add(const ReportedRun& run, const ReportedRun* before) {
  ++runs;
  const Treatment treatment = run.outcome.treatment;
  ++(treatment == Treatment::kMeasured ? measured : treatment == Treatment::kLeft ? left : packed);
  if (!run.saved || before == nullptr) {
    submitted_node_hours += run.node_hours();
    return;
  }
  ++compared;
  submitted_node_hours += before->node_hours();
  freed_node_hours += run.saved->node_hours;
  if (run.kept_bound) ++(*run.kept_bound ? kept : broken);
  if (!run.saved->energy) return;
  ++compared_energy;
  const bool by_accounting =
      !run.energy || !before->energy || run.energy_source != before->energy_source;
  energy_before += by_accounting ? *before->by_accounting : *before->energy;
  energy_after += by_accounting ? *run.by_accounting : *run.energy;
  if (run.saved->machine_energy)
    machine_saved = machine_saved.value_or(Joules{0}) + *run.saved->machine_energy;
}

double RunFigures::freed_share() const {
  return submitted_node_hours > 0 ? freed_node_hours / submitted_node_hours : 0;
}

std::string kind_of_reason(std::string_view reason) {
  reason = reason.substr(0, reason.find(": "));
  reason = reason.substr(0, reason.find(" ("));
  reason = reason.substr(0, reason.find(';'));
  std::string kind;
  for (std::size_t i = 0; i < reason.size(); ++i) {
    const auto is_digit = [&](std::size_t at) {
      return at < reason.size() && std::isdigit(static_cast<unsigned char>(reason[at])) != 0;
    };
    if (!is_digit(i)) {
      kind += reason[i];
      continue;
    }
    kind += 'N';
    while (is_digit(i + 1) || (i + 2 < reason.size() && reason[i + 1] == '.' && is_digit(i + 2)))
      ++i;
  }
  return kind;
}

PeriodSummary summarize(const JobReport& report) {
  constexpr std::size_t kMonth = 7;  // "2026-11"
  PeriodSummary summary;
  std::map<std::string, RunFigures> months;
  std::map<std::string, RunFigures> partitions;
  std::map<std::string, LeftReason> reasons;
  double worst = 0;
  for (std::size_t place = 0; place < report.runs.size(); ++place) {
    const ReportedRun& run = report.runs[place];
    if (!run.wanted) continue;
    const ReportedRun* const before =
        run.compared_with ? &report.runs[*run.compared_with] : nullptr;
    const UtcTime start = run.outcome.run->start;
    if (!summary.first) summary.first = start;
    summary.last = start;
    for (RunFigures* const figures :
         {&summary.all, &months[text_of(start).substr(0, kMonth)], &partitions[run.partition]})
      figures->add(run, before);
    add_measuring(summary.measuring, run, before);
    if (run.outcome.treatment == Treatment::kLeft) {
      LeftReason& reason = reasons[kind_of_reason(run.outcome.reason)];
      ++reason.runs;
      reason.node_hours += run.node_hours();
    }
    if (before == nullptr || run.kept_bound != false) continue;
    if (const double excess = excess_of(run, *before); !summary.worst || excess > worst) {
      worst = excess;
      summary.worst = place;
    }
  }
  for (auto& [kind, reason] : reasons) reason.reason = kind;
  if (ControlledSaving control = controlled_saving(report);
      control.control + control.packed + control.control_failed + control.packed_failed > 0)
    summary.control = control;
  summary.users = report.by_user.size();
  summary.months = named(std::move(months));
  summary.partitions = named(std::move(partitions));
  std::ranges::stable_sort(summary.partitions, [](const NamedFigures& a, const NamedFigures& b) {
    return a.figures.submitted_node_hours > b.figures.submitted_node_hours;
  });
  keep_commonest(summary, reasons);
  summary.programs = program_efficiencies(report.runs);
  return summary;
}

}  // namespace huddle::operations
