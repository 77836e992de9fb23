// How long ranks waited for each other, as an estimate, for people.

#include <fmt/format.h>

#include "aggregator/cli/show_sections.hpp"
#include "aggregator/cli/table.hpp"

namespace huddle {

Seconds sum_of(const WaitingEstimate& estimate, WaitPattern pattern,
               std::array<Seconds, kWaitPatterns> WaitingEstimate::OfRank::*times) {
  Seconds sum{0};
  for (const WaitingEstimate::OfRank& of_rank : estimate.ranks)
    sum += (of_rank.*times)[static_cast<std::size_t>(pattern)];
  return sum;
}

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
               {"from s"},
               {"to s"},
               {"% of run"},
               {"longest s"},
               {"on rank"}});
  bool any = false;
  for (std::size_t i = 0; i < kWaitPatterns; ++i) {
    const auto pattern = static_cast<WaitPattern>(i);
    const TimeSpread spread = spread_of(*estimate, pattern);
    const Seconds most = sum_of(*estimate, pattern, &WaitingEstimate::OfRank::most);
    if (most <= Seconds{}) continue;
    any = true;
    const auto mean = [&](Seconds sum) {
      return fmt::format("{:.4f}", sum.value / static_cast<double>(estimate->ranks.size()));
    };
    table.add({std::string(title_of(pattern)), mean(spread.sum()),
               mean(sum_of(*estimate, pattern, &WaitingEstimate::OfRank::least)), mean(most),
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
