// What huddle show prints for people, but for times.

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/render/table.hpp"
#include "aggregator/render/heatmap/amounts.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

std::string placement_words(const Profile& profile) {
  const std::size_t nodes = known_nodes(profile);
  if (nodes == 0) return fmt::format("{}, nodes not known", profile.ranks);
  return fmt::format("{} on {}", profile.ranks, counted(nodes, "node"));
}

// Counters are kept as doubles, since they are corrected for multiplexing.
std::string counted_words(double count) {
  constexpr double kMost = 9e18;
  return count >= 0 && count < kMost ? human_count(static_cast<std::uint64_t>(count + 0.5))
                                     : fmt::format("{:.4g}", count);
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

std::string identity_text(const Profile& profile, const RunSummary& summary) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<14}{}\n", name, printable(value));
  };
  const auto traffic_line = [&](std::string_view name, Traffic traffic, std::string_view what) {
    const TrafficTotals totals = totals_of(profile, traffic);
    if (totals.messages > 0 || traffic == Traffic::kPointToPoint)
      line(name, fmt::format("{} {}, {}", totals.messages, what, human_bytes(totals.bytes)));
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
  traffic_line("messages", Traffic::kPointToPoint, "point to point");
  traffic_line("neighbours", Traffic::kNeighbours, "by neighbourhood collectives");
  traffic_line("one-sided", Traffic::kOneSided, "put or fetched");
  for (const MeterSummary& meter : summary.meters)
    line("energy", fmt::format("{:.1f} J, {} of {}", meter.energy.value, meter.meter,
                               counted(meter.nodes, "node")));
  line("run time", run_time_words(profile));
  for (const MoveSummary& moves : summary.moves)
    line("moved", fmt::format("{} in {}, such as rank {} from PUs {} to {}: {} "
                              "passes there, {} across; it cost {:.3f} s at most",
                              counted(moves.ranks, "rank"), counted(moves.bursts, "burst"),
                              moves.example.value, moves.from.list(), moves.to.list(), moves.passes,
                              summary.passes_between_moves, moves.dearest.value));
  return text;
}

std::string traffic_text(const Profile& profile, Traffic traffic, Weight weight,
                         const TerminalStyle& style) {
  const BinnedMatrix matrix =
      binned_matrix(profile, traffic, weight, most_bins(style, profile.ranks));
  return fmt::format("\n{} {}\n{}", weight == Weight::kBytes ? "bytes" : "messages",
                     words_for(traffic), terminal_matrix(matrix, weight, style));
}

std::string meters_text(const RunSummary& summary) {
  if (summary.counters.empty()) return {};
  Table table({{"counter", Table::Align::kLeft}, {"total"}, {"ranks"}});
  for (const CounterSummary& counter : summary.counters)
    table.add(
        {printable(counter.event), counted_words(counter.total), std::to_string(counter.ranks)});
  return "\n" + table.text();
}

std::string ranks_text(const Profile& profile) {
  constexpr std::size_t kMostRows = 64;
  if (profile.run_time() <= Seconds{0} && known_nodes(profile) == 0) return {};
  Table table({{"rank"},
               {"node", Table::Align::kLeft},
               {"PUs", Table::Align::kLeft},
               {"in MPI %"},
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
               fmt::format("{:.1f}", share), human_bytes(record.peak_resident.value),
               human_bytes(bytes), std::to_string(receivers)});
  }
  std::string text = "\n" + table.text();
  if (profile.rank_records.size() > kMostRows)
    text +=
        fmt::format("... and {} more\n", counted(profile.rank_records.size() - kMostRows, "rank"));
  return text;
}

std::string gaps_text(const Profile& profile, const RunSummary& summary) {
  std::vector<std::string> gaps = profile.notes;
  if (!profile.counters_absent_reason.empty())
    gaps.push_back("No hardware counters: " + profile.counters_absent_reason);
  for (const AbsentEvent& absent : profile.shared.absent_events)
    gaps.push_back(fmt::format("{} was not counted on {}: {}", absent.event,
                               counted(absent.ranks, "rank"), absent.reason));
  for (const auto& [reason, ranks] : summary.not_moved)
    gaps.push_back(fmt::format("{} not moved, or not to the end: {}",
                               counted(ranks, "rank was", "ranks were"), reason));
  std::uint64_t sampled = 0;
  for (const CallSummary& call : summary.calls) sampled += call.timed < call.calls ? 1 : 0;
  if (sampled > 0)
    gaps.push_back(
        fmt::format("The times of {}, marked ~, are estimated from a sample of {} calls.",
                    counted(sampled, "MPI function"), sampled == 1 ? "its" : "their"));
  if (gaps.empty()) return {};
  constexpr std::size_t kMostGaps = 32;
  std::string text = "\nnot measured, or not exactly\n";
  for (std::size_t i = 0; i < std::min(gaps.size(), kMostGaps); ++i)
    text += fmt::format("  {}\n", printable(gaps[i]));
  if (gaps.size() > kMostGaps)
    text += fmt::format("  ... and {} more, see --json\n", gaps.size() - kMostGaps);
  return text;
}

}  // namespace huddle
