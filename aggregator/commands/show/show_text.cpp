// The output of huddle show for people, but for times.

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/render/heatmap/pair_matrix.hpp"
#include "aggregator/render/table.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::cli {
namespace {

const char* whose(EnergyOrigin origin) {
  switch (origin) {
    case EnergyOrigin::kMeter:
      return "";
    case EnergyOrigin::kMeasured:
      return ", all of it this job's";
    case EnergyOrigin::kAttributed:
      return ", this job's part by CPU time";
  }
  return "";
}

std::string placement_words(const Profile& profile) {
  const std::size_t nodes = render::known_nodes(profile);
  if (nodes == 0) return fmt::format("{}, nodes not known", profile.ranks);
  return fmt::format("{} on {}", profile.ranks, pluralize(nodes, "node"));
}

// Counters are kept as doubles, since they are corrected for multiplexing.
std::string counted_words(double count) {
  constexpr double kMost = 9e18;
  return count >= 0 && count < kMost ? render::human_count(static_cast<std::uint64_t>(count + 0.5))
                                     : fmt::format("{:.4g}", count);
}

// Empty where the work of the rank's threads is not known.
std::string efficiency_cell(const std::optional<efficiency::RunEfficiency>& run, std::size_t row) {
  if (!run) return {};
  const efficiency::RankEfficiency& rank = run->by_rank[row];
  if (run->hybrid && !rank.openmp) return {};
  return fmt::format("{:.1f}", 100 * rank.mpi * (rank.openmp ? rank.openmp->parallel() : 1));
}

std::string run_time_words(const Profile& profile) {
  if (profile.run_time() <= Seconds{0}) return "not known";
  return fmt::format("{:.3f} s, of which computing {:.3f} s on average", profile.run_time().value,
                     profile.mean_computation_time().value);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe = shortened(text, text.size());
  // Control characters of the upper half, U+0080 to U+009F: some terminals obey them in UTF-8, too.
  for (std::size_t i = 0; i + 1 < safe.size(); ++i)
    if (safe[i] == '\xc2' && static_cast<unsigned char>(safe[i + 1]) < 0xa0)
      safe.replace(i, 2, "?");
  return safe;
}

// Traffic of a program whose ranks send each other no messages of their own; else empty.
std::string collectives_words(const Profile& profile, const render::RunSummary& summary) {
  if (render::totals_of(profile, render::PairMatrix::kPointToPoint).messages > 0) return {};
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  for (const render::CollectiveSummary& sum : summary.collectives) {
    calls += sum.calls;
    bytes += sum.bytes.value;
  }
  if (calls == 0) return {};
  return fmt::format("{} contributed in {} of all ranks", render::human_bytes(bytes),
                     pluralize(calls, "call"));
}

std::string identity_text(const Profile& profile, const render::RunSummary& summary) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<14}{}\n", name, printable(value));
  };
  const auto traffic_line = [&](std::string_view name, render::PairMatrix traffic,
                                std::string_view what) {
    const render::PairMatrixTotals totals = render::totals_of(profile, traffic);
    if (totals.messages > 0 || traffic == render::PairMatrix::kPointToPoint)
      line(name,
           fmt::format("{} {}, {}", totals.messages, what, render::human_bytes(totals.bytes)));
  };
  line("label", profile.label);
  line("user", profile.user);
  std::string program = profile.executable;
  for (const std::string& argument : profile.arguments) program += " " + argument;
  line("program", program);
  line("build id", profile.build_id);
  if (profile.problem_size) line("problem size", problem_size_text(*profile.problem_size));
  line("MPI", profile.mpi_library);
  if (profile.slurm_job_id != 0)
    line("job", fmt::format("{}.{}", profile.slurm_job_id, profile.slurm_step_id));
  line("started", profile.started_at);
  line("state",
       profile.complete ? "complete" : fmt::format("cut short: {}", profile.cut_short_reason));
  line("counters", profile.counters_absent_reason.empty()
                       ? "measured"
                       : "not measured: " + profile.counters_absent_reason);
  line("ranks", placement_words(profile));
  traffic_line("messages", render::PairMatrix::kPointToPoint, "point to point");
  line("collectives", collectives_words(profile, summary));
  traffic_line("neighbours", render::PairMatrix::kNeighbours, "by neighbourhood collectives");
  traffic_line("one-sided", render::PairMatrix::kOneSided, "put or fetched");
  for (const render::MeterSummary& meter : summary.meters)
    line("energy", fmt::format("{:.1f} J, {} of {}{}", meter.energy.value, meter.meter,
                               pluralize(meter.nodes, "node"), whose(meter.origin)));
  line("run time", run_time_words(profile));
  return text;
}

std::string meters_text(const render::RunSummary& summary) {
  if (summary.counters.empty()) return {};
  render::Table table({{"counter", render::Table::Align::kLeft}, {"total"}, {"ranks"}});
  for (const render::CounterSummary& counter : summary.counters)
    table.add(
        {printable(counter.event), counted_words(counter.total), std::to_string(counter.ranks)});
  return "\n" + table.text();
}

std::string ranks_text(const Profile& profile,
                       const std::optional<efficiency::RunEfficiency>& run) {
  constexpr std::size_t kMostRows = 64;
  if (profile.run_time() <= Seconds{0} && render::known_nodes(profile) == 0) return {};
  render::Table table({{"rank"},
                       {"node", render::Table::Align::kLeft},
                       {"PUs", render::Table::Align::kLeft},
                       {"in MPI %"},
                       {"efficiency %"},
                       {"peak memory"},
                       {"sent"},
                       {"to ranks"}});
  std::size_t rows = 0;
  for (const RankRecord& record : profile.rank_records) {
    if (rows++ == kMostRows) break;
    std::uint64_t bytes = 0;
    std::uint32_t receivers = 0;
    for (std::size_t i = 0; i < record.sent.size(); ++i) {
      bytes += record.sent[i].bytes.value;
      if (i == 0 || record.sent[i].receiver != record.sent[i - 1].receiver) ++receivers;
    }
    const double share =
        record.run_time > Seconds{0} ? 100 * (record.mpi_time / record.run_time) : 0;
    table.add({std::to_string(record.rank.value), printable(record.node), record.pus.list(),
               fmt::format("{:.1f}", share), efficiency_cell(run, rows - 1),
               render::human_bytes(record.peak_resident.value), render::human_bytes(bytes),
               std::to_string(receivers)});
  }
  std::string text = "\n" + table.text();
  if (profile.rank_records.size() > kMostRows)
    text += fmt::format("... and {} more\n",
                        pluralize(profile.rank_records.size() - kMostRows, "rank"));
  return text;
}

std::string gaps_text(const Profile& profile, const render::RunSummary& summary) {
  std::vector<std::string> gaps = profile.notes;
  if (!profile.counters_absent_reason.empty())
    gaps.push_back("No hardware counters: " + profile.counters_absent_reason);
  for (const AbsentEvent& absent : profile.shared.absent_events)
    gaps.push_back(fmt::format("{} was not counted on {}: {}", absent.event,
                               pluralize(absent.ranks, "rank"), absent.reason));
  std::uint64_t sampled = 0;
  for (const render::CallSummary& call : summary.calls) sampled += call.timed < call.calls ? 1 : 0;
  if (sampled > 0)
    gaps.push_back(
        fmt::format("The times of {}, marked ~, are estimated from a sample of {} calls.",
                    pluralize(sampled, "MPI function"), sampled == 1 ? "its" : "their"));
  if (gaps.empty()) return {};
  constexpr std::size_t kMostGaps = 32;
  std::string text = "\nnot measured, or not exactly\n";
  for (std::size_t i = 0; i < std::min(gaps.size(), kMostGaps); ++i)
    text += fmt::format("  {}\n", printable(gaps[i]));
  if (gaps.size() > kMostGaps)
    text += fmt::format("  ... and {} more, see --json\n", gaps.size() - kMostGaps);
  return text;
}

// Where the time of a run went, for people.

namespace {

constexpr std::size_t kMostRows = 12;

std::string seconds(Seconds time) {
  return fmt::format("{:.4f}", time.value);
}

std::string percent(double share) {
  return fmt::format("{:.1f}", 100 * share);
}

// The line below a table that shows only the first rows.
std::string rest_of(std::size_t rows, std::string_view what) {
  return rows > kMostRows ? fmt::format("... and {} {} more, see --json\n", rows - kMostRows, what)
                          : std::string();
}

// A rank that has nothing of it took no time.
Seconds mean_over(std::size_t ranks, const render::TimeSpread& spread) {
  return ranks == 0 ? Seconds{} : spread.sum() * (1.0 / static_cast<double>(ranks));
}

void add_row(render::Table& table, std::string name, const render::TimeSpread& spread,
             std::size_t ranks, Seconds run) {
  const Seconds mean = mean_over(ranks, spread);
  table.add({std::move(name), seconds(mean), run > Seconds{} ? percent(mean / run) : "",
             seconds(spread.longest()), std::to_string(spread.slowest().value),
             mean > Seconds{} ? percent(spread.longest() / mean - 1) : ""});
}

std::string calls_table(const render::RunSummary& summary, std::size_t ranks) {
  if (summary.calls.empty()) return {};
  render::Table table({{"MPI call", render::Table::Align::kLeft},
                       {"sort", render::Table::Align::kLeft},
                       {"calls of all ranks"},
                       {"mean s"},
                       {"longest s"},
                       {"on rank"}});
  for (std::size_t i = 0; i < std::min(kMostRows, summary.calls.size()); ++i) {
    const render::CallSummary& call = summary.calls[i];
    const std::string_view mark = call.timed < call.calls ? "~" : "";
    table.add({printable(call.operation),
               std::string(name_of(render::sort_of_call(call.operation))),
               std::to_string(call.calls),
               fmt::format("{}{}", mark, seconds(mean_over(ranks, call.time))),
               fmt::format("{}{}", mark, seconds(call.time.longest())),
               std::to_string(call.time.slowest().value)});
  }
  return "\n" + table.text() + rest_of(summary.calls.size(), "MPI functions");
}

}  // namespace

std::string times_text(const Profile& profile, const render::RunSummary& summary) {
  if (profile.run_time() <= Seconds{0}) return {};
  const std::size_t ranks = profile.rank_records.size();
  const Seconds run = mean_over(ranks, summary.computation) + mean_over(ranks, summary.mpi_time);
  render::Table table({{"where time goes", render::Table::Align::kLeft},
                       {"mean s"},
                       {"% of run"},
                       {"longest s"},
                       {"on rank"},
                       {"above mean %"}});
  add_row(table, "computation", summary.computation, ranks, run);
  add_row(table, "MPI", summary.mpi_time, ranks, run);
  for (std::size_t sort = 0; sort < summary.time_by_sort.size(); ++sort)
    if (summary.time_by_sort[sort].ranks() > 0)
      add_row(table, fmt::format("  {}", name_of(static_cast<render::CallSort>(sort))),
              summary.time_by_sort[sort], ranks, run);
  return "\n" + table.text() + calls_table(summary, ranks);
}

std::string phases_text(const render::RunSummary& summary, const PlaceNames& places) {
  if (summary.phase_groups.empty()) return {};
  render::Table table({{"phases"},
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
    const render::PhaseGroupSummary& phase = summary.phase_groups[i];
    const std::string number = std::to_string(i + 1);
    table.add({number, std::to_string(phase.count), std::to_string(phase.computation.ranks()),
               seconds(phase.computation.mean()), seconds(phase.computation.longest()),
               std::to_string(phase.computation.slowest().value),
               percent(phase.computation.imbalance()), seconds(phase.mpi_time.mean()),
               seconds(phase.delimiter_time.mean())});
    names += fmt::format("{:>6}  from {}\n{:>6}  to   {}\n", number,
                         printable(places.named(phase.group.begin)), "",
                         printable(places.named(phase.group.end)));
  }
  return "\n" + table.text() + rest_of(summary.phase_groups.size(), "phase groups") + names;
}

std::string collectives_text(const render::RunSummary& summary) {
  if (summary.collectives.empty()) return {};
  render::Table table({{"collective", render::Table::Align::kLeft},
                       {"communicator", render::Table::Align::kLeft},
                       {"calls of all ranks"},
                       {"contributed"},
                       {"longest s"}});
  for (const render::CollectiveSummary& sum : summary.collectives)
    table.add({printable(sum.operation), printable(sum.communicator), std::to_string(sum.calls),
               render::human_bytes(sum.bytes.value), seconds(sum.time.longest())});
  return "\n" + table.text();
}

// The time that ranks waited for each other, by a trace, for people.

namespace {

// A profile may name patterns that a later version found.
std::string title_of(const std::string& pattern) {
  for (std::size_t i = 0; i < waitstates::kWaitPatterns; ++i)
    if (name_of(static_cast<waitstates::WaitPattern>(i)) == pattern)
      return std::string(waitstates::title_of(static_cast<waitstates::WaitPattern>(i)));
  return printable(pattern);
}

}  // namespace

render::TimeSpread spread_of(const std::vector<Seconds>& by_rank) {
  render::TimeSpread spread;
  for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) spread.add(Rank{rank}, by_rank[rank]);
  return spread;
}

render::TimeSpread slack_of(const WaitSummary& waits) {
  render::TimeSpread spread;
  for (std::uint32_t rank = 0; rank < waits.ranks.size(); ++rank)
    spread.add(Rank{rank}, waits.ranks[rank].slack);
  return spread;
}

std::string traced_waiting_text(const WaitSummary& waits) {
  render::Table table({{"waiting, by a " + printable(waits.origin), render::Table::Align::kLeft},
                       {"mean s"},
                       {"% of run"},
                       {"longest s"},
                       {"on rank"}});
  const auto add = [&](const std::string& title, const render::TimeSpread& spread) {
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

}  // namespace huddle::cli
