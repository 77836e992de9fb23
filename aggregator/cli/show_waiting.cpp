// How long ranks waited for each other, as an estimate, for people.

#include <fmt/format.h>

#include "aggregator/cli/show_sections.hpp"
#include "aggregator/cli/table.hpp"

namespace huddle {

TimeSpread spread_of(const WaitingEstimate& estimate, WaitPattern pattern) {
  TimeSpread spread;
  for (const WaitingEstimate::OfRank& of_rank : estimate.ranks)
    spread.add(of_rank.rank, of_rank.waiting[static_cast<std::size_t>(pattern)]);
  return spread;
}

std::string waiting_text(const std::optional<WaitingEstimate>& estimate, Seconds run_time) {
  if (!estimate) return {};
  Table table({{"waiting, estimated", Table::Align::kLeft},
               {"mean s"},
               {"% of run"},
               {"longest s"},
               {"on rank"}});
  bool any = false;
  for (std::size_t i = 0; i < kWaitPatterns; ++i) {
    const auto pattern = static_cast<WaitPattern>(i);
    const TimeSpread spread = spread_of(*estimate, pattern);
    if (spread.sum() <= Seconds{}) continue;
    any = true;
    table.add({std::string(title_of(pattern)), fmt::format("{:.4f}", spread.mean().value),
               run_time > Seconds{} ? fmt::format("{:.1f}", 100 * (spread.mean() / run_time)) : "",
               fmt::format("{:.4f}", spread.longest().value),
               std::to_string(spread.slowest().value)});
  }
  if (!any) return {};
  std::string text = "\n" + table.text();
  for (const std::string& sentence : estimate->based_on) text += "  " + sentence + "\n";
  return text;
}

}  // namespace huddle
