// What huddle waitstates prints for people: its head and the table by pattern, and remarks.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/report/waitstates_tables.hpp"
#include "aggregator/waitstates/replay/report_remarks.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr Table::Align kLeft = Table::Align::kLeft;

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

void add_row(Table& table, const WaitAnswer& answer, std::string_view title,
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

std::string by_pattern(const WaitAnswer& answer) {
  Table table({{"pattern", kLeft},
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

}  // namespace

std::string waits_head_text(const WaitAnswer& answer) {
  const ReportSums& sums = answer.sums;
  const auto whole = static_cast<double>(sums.ticks);
  const auto share = [&](std::uint64_t ticks) {
    return percent_of(static_cast<double>(ticks), whole);
  };
  const std::size_t threads = answer.report.locations.size();
  std::string text =
      fmt::format("{}: {}", shortened(answer.report.trace, 200), counted(sums.ranks, "rank"));
  if (threads > sums.ranks) text += fmt::format(" of {} in all", counted(threads, "thread"));
  if (sums.nodes > 0) text += " on " + counted(sums.nodes, "node");
  text +=
      fmt::format(", {:.6g} s, {}\n", answer.run_time_s(), counted(answer.report.events, "event"));
  text += fmt::format(
      "Time of all {}: {:.4g} s, in MPI {:.4g} s ({:.1f} %), waiting {:.4g} s "
      "({:.1f} %)\n",
      threads > sums.ranks ? "threads" : "ranks", answer.seconds(sums.ticks),
      answer.seconds(sums.mpi), share(sums.mpi), answer.seconds(sums.waits.ticks),
      share(sums.waits.ticks));
  return text + power_line(answer.report);
}

std::string waits_text(const WaitAnswer& answer, WaitsBy by) {
  if (answer.sums.waits.count == 0) return "Nobody waited.\n";
  switch (by) {
    case WaitsBy::kCallPath:
      return waits_by_call_path(answer);
    case WaitsBy::kRank:
      return waits_by_rank(answer);
    case WaitsBy::kPattern:
      break;
  }
  return by_pattern(answer);
}

std::string waits_remarks_text(const WaitAnswer& answer) {
  std::string text;
  for (const std::string& remark : remarks_on(answer.report)) text += shortened(remark, 400) + "\n";
  return text.empty() ? text : "\nAbout the trace:\n" + text;
}

}  // namespace huddle
