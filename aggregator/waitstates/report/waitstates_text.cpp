// What huddle waitstates prints for people: its head, a table by pattern, call path or rank, and
// remarks.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::waitstates {
namespace {

constexpr render::Table::Align kLeft = render::Table::Align::kLeft;
// Of all waiting: what a tree leaves out.
constexpr double kLeastShare = 0.001;
// Deeper call paths are written without more indentation.
constexpr std::size_t kDeepestIndentation = 30;

std::string energy_cell(std::int64_t nanojoules) {
  return fmt::format("{:.4g}", joules(nanojoules));
}

std::string percent_cell(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.1f}", percent_of(static_cast<double>(part), static_cast<double>(whole)));
}

// "Wait at Barrier 80 %": what most of the waiting is.
std::string foremost_cell(const std::array<std::uint64_t, kWaitPatterns>& ticks,
                          std::uint64_t all) {
  const std::size_t pattern = foremost(ticks);
  if (pattern == kWaitPatterns) return "";
  return fmt::format("{} {:.0f} %", title_of(static_cast<WaitPattern>(pattern)),
                     percent_of(static_cast<double>(ticks[pattern]), static_cast<double>(all)));
}

// Lines of the tree below a call path, in the order they are printed in.
class CallTree {
 public:
  explicit CallTree(const WaitAnswer& answer)
      : answer_(answer), children_(answer.report.call_paths.size() + 1) {
    const auto& paths = answer.report.call_paths;
    for (std::uint32_t i = 0; i < paths.size(); ++i)
      children_[paths[i].parent < i ? paths[i].parent + 1 : 0].push_back(i);
  }

  std::string text() {
    add_children(0, 0);
    std::string text = table_.text();
    if (left_out_ > 0)
      text += fmt::format("{} more with less than {:.1f} % of the waiting each; --csv has all.\n",
                          left_out_, 100 * kLeastShare);
    return text;
  }

 private:
  void add_children(std::size_t of, std::size_t depth) {
    std::vector<std::uint32_t>& children = children_[of];
    const auto waiting = [&](std::uint32_t path) {
      return answer_.sums.inclusive[path].waits.ticks;
    };
    std::stable_sort(children.begin(), children.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return waiting(a) > waiting(b); });
    for (const std::uint32_t path : children) add(path, depth);
  }

  void add(std::uint32_t path, std::size_t depth) {
    const PathTotals& sums = answer_.sums.inclusive[path];
    if (sums.waits.ticks == 0) return;
    const std::uint64_t all = answer_.sums.waits.ticks;
    if (static_cast<double>(sums.waits.ticks) < kLeastShare * static_cast<double>(all)) {
      ++left_out_;
      return;
    }
    table_.add({std::string(2 * std::min(depth, kDeepestIndentation), ' ') +
                    shortened(answer_.report.call_paths[path].region) +
                    place_text(answer_.report.call_paths[path]),
                fmt::format("{:.4g}", answer_.seconds(sums.waits.ticks)),
                percent_cell(sums.waits.ticks, all), percent_cell(sums.waits.ticks, sums.ticks),
                std::to_string(sums.waits.count), energy_cell(sums.waits.energy.spent_nj),
                energy_cell(sums.waits.energy.saving_nj),
                energy_cell(sums.waits.energy.busy_saving_nj),
                foremost_cell(sums.by_pattern, sums.waits.ticks)});
    add_children(path + 1, depth + 1);
  }

  const WaitAnswer& answer_;
  std::vector<std::vector<std::uint32_t>> children_;  // the outermost first
  std::size_t left_out_ = 0;
  render::Table table_{{{"call path", kLeft},
                        {"waiting s"},
                        {"% of all"},
                        {"% of its time"},
                        {"waits"},
                        {"energy J"},
                        {"ESP J"},
                        {"ESP_BW J"},
                        {"mostly", kLeft}}};
};

std::string waits_by_call_path(const WaitAnswer& answer) {
  return CallTree(answer).text();
}

std::string waits_by_rank(const WaitAnswer& answer) {
  const WaitReport& report = answer.report;
  const bool threads = std::any_of(report.locations.begin(), report.locations.end(),
                                   [](const ReportLocation& at) { return at.thread > 0; });
  std::vector<std::uint32_t> order(report.locations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const ReportLocation& left = report.locations[a];
    const ReportLocation& right = report.locations[b];
    return left.rank != right.rank ? left.rank < right.rank : left.thread < right.thread;
  });
  render::Table table({{threads ? "rank.thread" : "rank"},
                       {"node", kLeft},
                       {"time s"},
                       {"MPI s"},
                       {"waiting s"},
                       {"% of its time"},
                       {"waits"},
                       {"energy J"},
                       {"ESP J"},
                       {"ESP_BW J"},
                       {"mostly", kLeft}});
  for (const std::uint32_t i : order) {
    const ReportLocation& at = report.locations[i];
    const LocationTotals& sums = answer.sums.locations[i];
    table.add({threads ? fmt::format("{}.{}", at.rank, at.thread) : std::to_string(at.rank),
               shortened(at.node, 30), fmt::format("{:.4g}", answer.seconds(sums.ticks)),
               fmt::format("{:.4g}", answer.seconds(sums.mpi)),
               fmt::format("{:.4g}", answer.seconds(sums.waits.ticks)),
               percent_cell(sums.waits.ticks, sums.ticks), std::to_string(sums.waits.count),
               energy_cell(sums.waits.energy.spent_nj), energy_cell(sums.waits.energy.saving_nj),
               energy_cell(sums.waits.energy.busy_saving_nj),
               foremost_cell(sums.by_pattern, sums.waits.ticks)});
  }
  return table.text();
}

// What huddle waitstates prints for people: its head and the table by pattern, and remarks.

// "1600 MHz 92 %": the state that wins most wait states, and what share of them.
std::string foremost_state(const WaitReport& report, const std::vector<std::uint64_t>& winners,
                           std::uint64_t count) {
  const auto most = std::max_element(winners.begin(), winners.end());
  if (most == winners.end() || *most == 0) return "-";
  const auto state = static_cast<std::size_t>(most - winners.begin());
  const double share = percent_of(static_cast<double>(*most), static_cast<double>(count));
  return fmt::format("{} {} %", shortened(report.power.states.at(state).name, 20),
                     share < 9.5 ? fmt::format("{:.2g}", share) : fmt::format("{:.0f}", share));
}

void add_row(render::Table& table, const WaitAnswer& answer, std::string_view title,
             const WaitSums& waits) {
  const double spent = joules(waits.energy.spent_nj);
  const double idle = joules(waits.energy.saving_nj);
  const double busy = joules(waits.energy.busy_saving_nj);
  table.add({std::string(title), std::to_string(waits.count),
             fmt::format("{:.4g}", answer.seconds(waits.ticks)),
             fmt::format("{:.4g}", answer.seconds(waits.longest)), fmt::format("{:.4g}", spent),
             fmt::format("{:.4g}", idle), fmt::format("{:.2f}", percent_of(idle, spent)),
             fmt::format("{:.4g}", busy), fmt::format("{:.2f}", percent_of(busy, spent)),
             foremost_state(answer.report, waits.energy.winners, waits.count),
             foremost_state(answer.report, waits.energy.busy_winners, waits.count)});
}

std::string text_by_pattern(const WaitAnswer& answer) {
  render::Table table({{"pattern", kLeft},
                       {"waits"},
                       {"time s"},
                       {"longest s"},
                       {"energy J"},
                       {"ESP J"},
                       {"%"},
                       {"ESP_BW J"},
                       {"%"},
                       {"idle best in", kLeft},
                       {"busy best in", kLeft}});
  std::size_t met = 0;
  for (std::size_t i = 0; i < kWaitPatterns; ++i) {
    const WaitSums& waits = answer.sums.patterns[i];
    if (waits.count == 0) continue;
    ++met;
    add_row(table, answer, title_of(static_cast<WaitPattern>(i)), waits);
  }
  if (met > 1) add_row(table, answer, "all", answer.sums.waits);
  return table.text() +
         "ESP: what the energy would be less if waiting cores were idle; ESP_BW: if they waited "
         "busy at a lower power state.\n";
}

// What an expert looks for beside waiting, where there is any.
std::string beside_waiting_text(const WaitAnswer& answer) {
  if (answer.sums.file_access == 0) return "";
  return fmt::format("In MPI's functions for files: {:.4g} s, waiting in them included.\n",
                     answer.seconds(answer.sums.file_access));
}

std::string power_line(const WaitReport& report) {
  const PowerStates& power = report.power;
  if (power.states.empty()) return "";
  const PowerLimits limits = limits_of(power);
  const std::string names =
      power.states.size() == 1 ? shortened(power.states[0].name)
                               : fmt::format("{} to {}", shortened(power.states[0].name),
                                             shortened(power.states[power.states.size() - 1].name));
  return fmt::format(
      "Power of a core: {}, {} ({}). Waiting can save {:.2f} % idle and {:.2f} % busy at most.\n",
      shortened(power.machine), names, shortened(power.origin, 200), 100 * limits.idle,
      100 * limits.busy);
}

// Of which nodes the energies below are measured.
std::string measured_line(const WaitAnswer& answer) {
  const std::vector<MeasuredNode>& measured = answer.report.measured;
  if (measured.empty()) return "";
  constexpr std::size_t kMost = 4;
  std::string nodes;
  for (std::size_t i = 0; i < std::min(measured.size(), kMost); ++i)
    nodes += fmt::format("{}{} {:.4g} W by {}", i == 0 ? "" : "; ", shortened(measured[i].node),
                         measured[i].mean_w, fmt::join(measured[i].sensors, " + "));
  if (measured.size() > kMost) nodes += fmt::format("; {} more", measured.size() - kMost);
  return fmt::format(
      "Measured on {} of {} in place of that, in equal shares of the node's threads: {}.\n",
      measured.size(), pluralize(answer.sums.nodes, "node"), nodes);
}

}  // namespace

std::string place_text(const CallPath& path) {
  if (path.file.empty()) return "";
  return fmt::format(" ({}:{})", shortened(path.file.substr(path.file.rfind('/') + 1), 60),
                     path.line);
}

std::string waits_head_text(const WaitAnswer& answer) {
  const ReportSums& sums = answer.sums;
  const auto whole = static_cast<double>(sums.ticks);
  const auto share = [&](std::uint64_t ticks) {
    return percent_of(static_cast<double>(ticks), whole);
  };
  const std::size_t threads = answer.report.locations.size();
  std::string text =
      fmt::format("{}: {}", shortened(answer.report.trace, 200), pluralize(sums.ranks, "rank"));
  if (threads > sums.ranks) text += fmt::format(" of {} in all", pluralize(threads, "thread"));
  if (sums.nodes > 0) text += " on " + pluralize(sums.nodes, "node");
  text += fmt::format(", {:.6g} s, {}\n", answer.run_time_s(),
                      pluralize(answer.report.events, "event"));
  text += fmt::format(
      "Time of all {}: {:.4g} s, in MPI {:.4g} s ({:.1f} %), waiting {:.4g} s "
      "({:.1f} %)\n",
      threads > sums.ranks ? "threads" : "ranks", answer.seconds(sums.ticks),
      answer.seconds(sums.mpi), share(sums.mpi), answer.seconds(sums.waits.ticks),
      share(sums.waits.ticks));
  return text + power_line(answer.report) + measured_line(answer);
}

std::string waits_text(const WaitAnswer& answer, WaitsBy by) {
  if (answer.sums.waits.count == 0) return "Nobody waited.\n" + beside_waiting_text(answer);
  switch (by) {
    case WaitsBy::kCallPath:
      return waits_by_call_path(answer);
    case WaitsBy::kRank:
      return waits_by_rank(answer);
    case WaitsBy::kPattern:
      break;
  }
  return text_by_pattern(answer) + beside_waiting_text(answer);
}

std::string waits_remarks_text(const WaitAnswer& answer) {
  std::string text;
  for (const std::string& remark : remarks_on(answer.report)) text += shortened(remark, 400) + "\n";
  return text.empty() ? text : "\nAbout the trace:\n" + text;
}

}  // namespace huddle::waitstates
