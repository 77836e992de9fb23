#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"

namespace huddle::waitstates {
namespace {

constexpr render::Table::Align kLeftAligned = render::Table::Align::kLeft;
constexpr std::size_t kMostLines = 20;

std::string percent_cell(double part, double whole) {
  return fmt::format("{:.1f}", percent_of(part, whole));
}

// The innermost three regions are enough to know the place.
std::string short_path(const WaitReport& report, std::uint32_t path) {
  constexpr int kMostRegions = 3;
  if (path >= report.call_paths.size()) return "(no region)";
  std::string text = shortened(report.call_paths[path].region);
  for (int depth = 1; report.call_paths[path].parent < path; ++depth) {
    path = report.call_paths[path].parent;
    if (depth == kMostRegions) return ".../" + text;
    text = shortened(report.call_paths[path].region) + "/" + text;
  }
  return text;
}

std::string left_out_line(std::size_t all) {
  return all > kMostLines ? fmt::format("{} more; --json has all.\n", all - kMostLines) : "";
}

std::string critical_path_text(const WaitAnswer& answer, const CriticalPath& path) {
  const auto run = static_cast<double>(path.run_time);
  const double all = run * answer.sums.ranks;
  std::string text = fmt::format(
      "\nCritical path: {:.4g} s, {} jump{} between ranks. Imbalance, waiting and MPI cost {:.4g} "
      "s "
      "of all ranks' time ({} %).\n",
      answer.seconds(path.run_time), path.jumps, path.jumps == 1 ? "" : "s",
      answer.seconds(path.lost), percent_cell(static_cast<double>(path.lost), all));
  std::vector<CriticalCallPath> call_paths = path.call_paths;
  std::erase_if(call_paths, [](const CriticalCallPath& entry) { return entry.on_path == 0; });
  std::stable_sort(call_paths.begin(), call_paths.end(),
                   [](const auto& a, const auto& b) { return a.on_path > b.on_path; });
  render::Table table(
      {{"on the critical path", kLeftAligned}, {"time s"}, {"% of run"}, {"imbalance s"}});
  for (std::size_t i = 0; i < std::min(call_paths.size(), kMostLines); ++i)
    table.add({short_path(answer.report, call_paths[i].call_path),
               fmt::format("{:.4g}", answer.seconds(call_paths[i].on_path)),
               percent_cell(static_cast<double>(call_paths[i].on_path), run),
               fmt::format("{:.4g}", answer.seconds(call_paths[i].imbalance))});
  text += table.text() + left_out_line(call_paths.size());
  if (path.contradictions > 0)
    text +=
        fmt::format("{} dependenc{} contradict{} the clocks; the path does not follow {}.\n",
                    path.contradictions, path.contradictions == 1 ? "y" : "ies",
                    path.contradictions == 1 ? "s" : "", path.contradictions == 1 ? "it" : "them");
  return text;
}

// The ranks with most slack first.
std::string slack_text(const WaitAnswer& answer, const SlackReport& slack) {
  std::vector<std::size_t> order(slack.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return slack.ranks[a].stretch > slack.ranks[b].stretch;
  });
  std::string text = fmt::format(
      "\nSlack: with each rank's computation so many times as long at once, the run would take "
      "{:.6g} s instead of {:.6g} s.\n",
      answer.seconds(slack.stretched_run_time), answer.seconds(slack.run_time));
  render::Table table({{"rank"}, {"computation s"}, {"times as long"}});
  for (std::size_t i = 0; i < std::min(order.size(), kMostLines); ++i)
    table.add({std::to_string(order[i]),
               fmt::format("{:.4g}", answer.seconds(slack.ranks[order[i]].computation)),
               fmt::format("{:.3f}", slack.ranks[order[i]].stretch)});
  return text + table.text() + left_out_line(order.size());
}

// Of a call path, all ranks together, and the rank that cost most.
struct DelayLine {
  std::uint32_t call_path = 0;
  double short_term = 0;
  double long_term = 0;
  std::uint32_t worst = 0;
  double of_worst = 0;

  [[nodiscard]] double all() const { return short_term + long_term; }
};

std::vector<DelayLine> delay_lines(const DelayReport& delays) {
  std::vector<DelayLine> lines;
  for (const DelayCost& cost : delays.costs) {
    if (lines.empty() || lines.back().call_path != cost.call_path)
      lines.push_back({cost.call_path, 0, 0, 0, 0});
    DelayLine& line = lines.back();
    line.short_term += cost.short_term;
    line.long_term += cost.long_term;
    const double both = cost.short_term + cost.long_term;
    if (both <= line.of_worst) continue;
    line.worst = cost.rank;
    line.of_worst = both;
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.all() > b.all(); });
  return lines;
}

std::string delays_text(const WaitAnswer& answer, const DelayReport& delays) {
  if (delays.waiting == 0) return "\nDelays: nobody waited in MPI on a rank's first thread.\n";
  const double tick = 1 / static_cast<double>(answer.report.ticks_per_second);
  std::string text = fmt::format(
      "\nDelays: what the {:.4g} s of waiting were caused by, at once or through others' "
      "waiting.\n",
      answer.seconds(delays.waiting));
  const std::vector<DelayLine> lines = delay_lines(delays);
  render::Table table({{"late in", kLeftAligned},
                       {"direct s"},
                       {"propagated s"},
                       {"% of waiting"},
                       {"most by rank"},
                       {"% of it"}});
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    table.add({short_path(answer.report, lines[i].call_path),
               fmt::format("{:.4g}", lines[i].short_term * tick),
               fmt::format("{:.4g}", lines[i].long_term * tick),
               percent_cell(lines[i].all(), static_cast<double>(delays.waiting)),
               std::to_string(lines[i].worst), percent_cell(lines[i].of_worst, lines[i].all())});
  return text + table.text() + left_out_line(lines.size());
}

void add_outcome(render::Table& table, const WaitAnswer& answer, const std::string& title,
                 const WhatIfOutcome& outcome) {
  ReplayedRank sum;
  for (const ReplayedRank& rank : outcome.ranks) {
    sum.computation += rank.computation;
    sum.transfer += rank.transfer;
    sum.waiting += rank.waiting;
  }
  const auto cell = [&](std::uint64_t ticks) {
    return fmt::format("{:.4g}", answer.seconds(ticks));
  };
  table.add({title, fmt::format("{:.6g}", answer.seconds(outcome.run_time)), cell(sum.computation),
             cell(sum.transfer), cell(sum.waiting),
             fmt::format("{:.4g}", joules(outcome.energy.busy_nj)),
             fmt::format("{:.4g}", joules(outcome.energy.idle_nj))});
}

std::string trace_efficiency_text(const WaitAnswer& answer, const TraceEfficiency& found) {
  render::Table table({{"efficiency", kLeftAligned}, {"%"}});
  const auto add = [&](std::string_view name, double share) {
    table.add({std::string(name), fmt::format("{:.1f}", 100 * share)});
  };
  add("parallel efficiency", found.parallel());
  add("  load balance", found.load_balance());
  add("  communication", found.communication());
  add("    serialisation", found.serialisation());
  add("    transfer", found.transfer());
  std::string text = fmt::format(
      "\nEfficiency: on a network that takes no time the ranks would need {:.4g} s, without "
      "MPI_Init and MPI_Finalize, instead of {:.4g} s.\n",
      answer.seconds(found.ideal_run_time), answer.seconds(found.run_time));
  text += table.text();
  if (found.circles > 0)
    text += fmt::format(
        "{} dependenc{} of ranks that wait for each other in a circle {} left out.\n",
        found.circles, found.circles == 1 ? "y" : "ies", found.circles == 1 ? "is" : "are");
  return text;
}

std::string change_text(double from, double to) {
  return from > 0 ? percent_text(to / from - 1, 2) + " %" : "unknown";
}

std::string what_if_text(const WaitAnswer& answer, const WhatIfReport& what_if) {
  render::Table table({{"", kLeftAligned},
                       {"run time s"},
                       {"computation s"},
                       {"transfer s"},
                       {"waiting s"},
                       {"energy J"},
                       {"waiting idle J"}});
  add_outcome(table, answer, "unchanged", what_if.unchanged);
  add_outcome(table, answer, "changed", what_if.changed);
  const auto ticks = [](std::uint64_t value) { return static_cast<double>(value); };
  std::string text = fmt::format(
      "\nWhat if {}: run time {}, energy {}; {:.4g} s of computation changed.\n",
      shortened(what_if.request.text, 200),
      change_text(ticks(what_if.unchanged.run_time - what_if.unchanged.set_up),
                  ticks(what_if.changed.run_time - what_if.changed.set_up)),
      change_text(joules(what_if.unchanged.energy.busy_nj), joules(what_if.changed.energy.busy_nj)),
      answer.seconds(what_if.touched));
  text += table.text();
  text +=
      fmt::format("The replay with nothing changed takes {} of the measured {:.6g} s.\n",
                  change_text(ticks(what_if.measured_run_time), ticks(what_if.unchanged.run_time)),
                  answer.seconds(what_if.measured_run_time));
  if (what_if.unchanged.set_up > 0)
    text += fmt::format(
        "MPI_Init and MPI_Finalize take {:.4g} s of the run time; they are in no energy and in no "
        "change.\n",
        answer.seconds(what_if.unchanged.set_up));
  if (what_if.touched == 0 && !what_if.request.by_slack)
    text += "No call path fits it: see --by callpath.\n";
  return text;
}

}  // namespace

std::string study_text(const WaitAnswer& answer) {
  if (answer.study == nullptr) return "";
  std::string text;
  if (answer.study->efficiency) text += trace_efficiency_text(answer, *answer.study->efficiency);
  if (answer.study->critical_path) text += critical_path_text(answer, *answer.study->critical_path);
  if (answer.study->slack) text += slack_text(answer, *answer.study->slack);
  if (answer.study->delays) text += delays_text(answer, *answer.study->delays);
  for (const WhatIfReport& report : answer.study->what_ifs) text += what_if_text(answer, report);
  return text;
}

}  // namespace huddle::waitstates
