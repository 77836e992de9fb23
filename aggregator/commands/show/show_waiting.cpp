// How long ranks waited for each other, as an estimate or by a trace, for people.

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/render/table.hpp"

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

namespace {

// A profile may name patterns that a later version found.
std::string title_of(const std::string& pattern) {
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    if (name_of(static_cast<WaitPattern>(i)) == pattern)
      return std::string(title_of(static_cast<WaitPattern>(i)));
  return printable(pattern);
}

}  // namespace

TimeSpread spread_of(const std::vector<Seconds>& by_rank) {
  TimeSpread spread;
  for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) spread.add(Rank{rank}, by_rank[rank]);
  return spread;
}

TimeSpread slack_of(const WaitSummary& waits) {
  TimeSpread spread;
  for (std::uint32_t rank = 0; rank < waits.ranks.size(); ++rank)
    spread.add(Rank{rank}, waits.ranks[rank].slack);
  return spread;
}

std::string traced_waiting_text(const WaitSummary& waits) {
  Table table({{"waiting, by a " + printable(waits.origin), Table::Align::kLeft},
               {"mean s"},
               {"% of run"},
               {"longest s"},
               {"on rank"}});
  const auto add = [&](const std::string& title, const TimeSpread& spread) {
    table.add(
        {title, fmt::format("{:.4f}", spread.mean().value),
         waits.run_time > Seconds{} ? fmt::format("{:.1f}", 100 * (spread.mean() / waits.run_time))
                                    : "",
         fmt::format("{:.4f}", spread.longest().value), std::to_string(spread.slowest().value)});
  };
  for (const PatternWaitSummary& pattern : waits.patterns)
    add(title_of(pattern.pattern), spread_of(pattern.waited));
  add("slack of computation", slack_of(waits));
  return "\n" + table.text() +
         fmt::format("  with all slack used at once the run takes {:.4f} s instead of {:.4f} s\n",
                     waits.stretched_run_time.value, waits.run_time.value);
}

}  // namespace huddle
