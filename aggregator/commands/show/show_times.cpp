// Where the time of a run went, for people.

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/render/table.hpp"
#include "aggregator/render/heatmap/amounts.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostRows = 12;

std::string seconds(Seconds time) {
  return fmt::format("{:.4f}", time.value);
}

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

// What follows a table that shows only the first rows.
std::string rest_of(std::size_t rows, std::string_view what) {
  return rows > kMostRows ? fmt::format("... and {} {} more, see --json\n", rows - kMostRows, what)
                          : std::string();
}

// A rank that has nothing of it took no time.
Seconds mean_over(std::size_t ranks, const TimeSpread& spread) {
  return ranks == 0 ? Seconds{} : spread.sum() * (1.0 / static_cast<double>(ranks));
}

void add_row(Table& table, std::string name, const TimeSpread& spread, std::size_t ranks,
             Seconds run) {
  const Seconds mean = mean_over(ranks, spread);
  table.add({std::move(name), seconds(mean), run > Seconds{} ? percent(mean / run) : "",
             seconds(spread.longest()), std::to_string(spread.slowest().value),
             mean > Seconds{} ? percent(spread.longest() / mean - 1) : ""});
}

std::string calls_table(const RunSummary& summary, std::size_t ranks) {
  if (summary.calls.empty()) return {};
  Table table({{"MPI call", Table::Align::kLeft},
               {"sort", Table::Align::kLeft},
               {"calls of all ranks"},
               {"mean s"},
               {"longest s"},
               {"on rank"}});
  for (std::size_t i = 0; i < std::min(kMostRows, summary.calls.size()); ++i) {
    const CallSummary& call = summary.calls[i];
    const std::string_view mark = call.timed < call.calls ? "~" : "";
    table.add({printable(call.operation), std::string(name_of(sort_of_call(call.operation))),
               std::to_string(call.calls),
               fmt::format("{}{}", mark, seconds(mean_over(ranks, call.time))),
               fmt::format("{}{}", mark, seconds(call.time.longest())),
               std::to_string(call.time.slowest().value)});
  }
  return "\n" + table.text() + rest_of(summary.calls.size(), "MPI functions");
}

}  // namespace

std::string times_text(const Profile& profile, const RunSummary& summary) {
  if (profile.run_time() <= Seconds{0}) return {};
  const std::size_t ranks = profile.rank_records.size();
  const Seconds run = mean_over(ranks, summary.computation) + mean_over(ranks, summary.mpi_time);
  Table table({{"where time goes", Table::Align::kLeft},
               {"mean s"},
               {"% of run"},
               {"longest s"},
               {"on rank"},
               {"above mean %"}});
  add_row(table, "computation", summary.computation, ranks, run);
  add_row(table, "MPI", summary.mpi_time, ranks, run);
  for (std::size_t sort = 0; sort < summary.time_by_sort.size(); ++sort)
    if (summary.time_by_sort[sort].ranks() > 0)
      add_row(table, fmt::format("  {}", name_of(static_cast<CallSort>(sort))),
              summary.time_by_sort[sort], ranks, run);
  return "\n" + table.text() + calls_table(summary, ranks);
}

std::string phases_text(const RunSummary& summary) {
  if (summary.phase_groups.empty()) return {};
  Table table({{"phases"},
               {"passes"},
               {"ranks"},
               {"mean s"},
               {"critical s"},
               {"on rank"},
               {"above mean %"},
               {"MPI within s"},
               {"in its end s"}});
  std::string names;
  for (std::size_t i = 0; i < std::min(kMostRows, summary.phase_groups.size()); ++i) {
    const PhaseGroupSummary& phase = summary.phase_groups[i];
    const std::string number = std::to_string(i + 1);
    table.add({number, std::to_string(phase.count), std::to_string(phase.computation.ranks()),
               seconds(phase.computation.mean()), seconds(phase.computation.longest()),
               std::to_string(phase.computation.slowest().value),
               percent(phase.computation.imbalance()), seconds(phase.mpi_time.mean()),
               seconds(phase.delimiter_time.mean())});
    names += fmt::format("{:>6}  from {}\n{:>6}  to   {}\n", number, printable(phase.group.begin),
                         "", printable(phase.group.end));
  }
  return "\n" + table.text() + rest_of(summary.phase_groups.size(), "phase groups") + names;
}

std::string collectives_text(const RunSummary& summary) {
  if (summary.collectives.empty()) return {};
  Table table({{"collective", Table::Align::kLeft},
               {"communicator", Table::Align::kLeft},
               {"calls of all ranks"},
               {"contributed"},
               {"longest s"}});
  for (const CollectiveSummary& sum : summary.collectives)
    table.add({printable(sum.operation), printable(sum.communicator), std::to_string(sum.calls),
               human_bytes(sum.bytes.value), seconds(sum.time.longest())});
  return "\n" + table.text();
}

}  // namespace huddle
