#include "aggregator/commands/report/report_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "aggregator/render/table.hpp"
#include "profiles/balancing/rank_balancer.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

constexpr render::Table::Align kLeft = render::Table::Align::kLeft;
constexpr std::size_t kLongestReason = 60;
// Its place among the cells of a run.
constexpr int kEfficiencyColumn = 8;

// To the second: nobody reads more in a table.
std::string moment(UtcTime time) {
  std::string text = text_of(time).substr(0, 19);
  text[10] = ' ';
  return text;
}

std::string percent(std::optional<double> share) {
  return share ? percent_text(*share) : "";
}

// With the interval behind it; a time alone would promise more than the plan did.
std::string predicted_change(const OutcomePrediction& prediction) {
  std::string text = percent_text(prediction.slowdown);
  if (prediction.coverage == Coverage::kNone) return text + " (contention unknown)";
  if (!prediction.time_low || !prediction.time_high || !(prediction.reference_time > Seconds{0}))
    return text;
  return text + fmt::format(" ({})", change_interval_text(prediction.time_low->value,
                                                          prediction.time_high->value,
                                                          prediction.reference_time.value));
}

// In place of a unit, what kind of figure it is; explained below the table.
std::string_view mark_of_energy(const operations::ReportedRun& run) {
  if (run.energy_source == operations::EnergySource::kProfile) return "*";
  if (run.energy_source == operations::EnergySource::kDaemon &&
      run.by_daemons->attributed > Joules{0})
    return "~";
  return "";
}

std::string energy_cell(const operations::ReportedRun& run) {
  if (!run.energy_doubt.empty()) return "?";
  if (!run.energy) return "";
  return fmt::format("{:.4g}{}", run.energy->value, mark_of_energy(run));
}

std::string end_of(const operations::ReportedRun& run) {
  if (!run.outcome.end) return "no record of its end";
  if (!run.succeeded()) return fmt::format("failed with status {}", run.outcome.end->status);
  if (run.is_unexplained) return "another workload";
  if (follows_plan(run.outcome.treatment)) return run.compared_with ? "" : "no run to compare with";
  return run.outcome.treatment == Treatment::kLeft ? shortened(run.outcome.reason, kLongestReason)
                                                   : "";
}

std::optional<double> actual_slowdown(const operations::JobReport& report,
                                      const operations::ReportedRun& run) {
  if (!run.compared_with) return std::nullopt;
  return run.slowdown(report.runs[*run.compared_with]);
}

// Whose it is comes first, where that may be several users.
std::vector<std::string> with_user(const std::string& user, std::vector<std::string> cells,
                                   Whose whose) {
  if (whose == Whose::kAllUsers) cells.insert(cells.begin(), shortened(user, 30));
  return cells;
}

// A table of `columns`, whose first one names the user.
render::Table table_of(std::vector<render::Table::Column> columns, Whose whose) {
  if (whose == Whose::kOneUser) columns.erase(columns.begin());
  return render::Table(std::move(columns));
}

bool charge_is_known(const operations::ReportedRun& run) {
  return run.wanted && run.charge;
}

bool efficiency_is_known(const operations::ReportedRun& run) {
  return run.wanted && run.used;
}

std::string efficiency_cell(const operations::ReportedRun& run) {
  return run.used ? fmt::format("{:.1f}", 100 * run.used->efficiency.parallel()) : "";
}

std::string charge_cell(const operations::JobReport& report, const operations::ReportedRun& run) {
  if (!run.charge) return "";
  std::string text = fmt::format("{:.4g}", *run.charge);
  if (run.saved && run.saved->charge)
    text += fmt::format(" for {:.4g}", *report.runs[*run.compared_with].charge);
  return text;
}

std::vector<std::string> cells_of(const operations::JobReport& report,
                                  const operations::ReportedRun& run) {
  const auto& prediction = run.outcome.prediction;
  return {moment(run.outcome.run->start),
          job_name(*run.outcome.run),
          shortened(run.outcome.label, 30),
          std::to_string(run.outcome.ranks),
          std::string(name_of(run.outcome.treatment)),
          prediction ? prediction->pattern : "",
          std::to_string(run.outcome.run->nodes),
          run.outcome.end ? fmt::format("{:.4g}", run.outcome.end->elapsed.value) : "",
          efficiency_cell(run),
          percent(actual_slowdown(report, run)),
          prediction ? predicted_change(*prediction) : "",
          prediction ? prediction->rests_on : "",
          energy_cell(run),
          prediction && prediction->energy ? fmt::format("{:.4g}", prediction->energy->value) : "",
          run.saved ? fmt::format("{:.4g}", run.saved->node_hours) : "",
          charge_cell(report, run),
          end_of(run)};
}

// The first rank's record has what all agreed on.
std::optional<RankBalancing> balancing_in(const std::string& profile_file) {
  const std::string name = std::filesystem::path(profile_file).filename().string();
  if (!name.starts_with(store::Store::kBalancedProfilePrefix)) return std::nullopt;
  try {
    const Profile profile = load_profile(profile_file);
    if (profile.rank_records.empty()) return std::nullopt;
    return profile.rank_records.front().balancing;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string text_of(const RankBalancing& balancing) {
  const std::optional<balancing::BalanceRest> rest = balancing::balance_rest_of(balancing.state);
  std::string text = fmt::format("clocks could follow its loads: at the end {}",
                                 rest ? std::string(text_of(*rest)) : shortened(balancing.state));
  if (balancing.points == 0) return text + "; ranks never agreed on loads";
  return text + fmt::format("; lower clocks cost {:.2f} s of {:.2f} s, by {}", balancing.lost.value,
                            balancing.elapsed.value, pluralize(balancing.points, "balance point"));
}

std::string marks_of(const operations::JobReport& report) {
  std::string text;
  const auto any = [&](const auto& has) {
    return std::any_of(report.runs.begin(), report.runs.end(),
                       [&](const operations::ReportedRun& run) { return run.wanted && has(run); });
  };
  if (any([](const operations::ReportedRun& run) { return run.compared_with.has_value(); }))
    text +=
        "slower %: elapsed time against the run on the nodes asked for; predicted %: by the plan\n";
  if (any(charge_is_known))
    text +=
        "billing-h: what Slurm charged the job for, while the step ran; for: in place of, by the "
        "run "
        "compared with\n";
  if (any([](const operations::ReportedRun& run) {
        return run.energy_source == operations::EnergySource::kProfile;
      }))
    text += "* counted by the node's own meters between MPI_Init and MPI_Finalize, not by Slurm\n";
  if (any([](const operations::ReportedRun& run) {
        return run.energy && mark_of_energy(run) == "~";
      }))
    text +=
        "~ attributed, in part at least: other jobs shared the sensors, which was divided by CPU "
        "time\n";
  for (const operations::ReportedRun& run : report.runs)
    if (run.wanted && !run.energy_doubt.empty())
      text += fmt::format("? job {}: implausible and not added up: {}\n",
                          job_name(*run.outcome.run), run.energy_doubt);
  for (const operations::ReportedRun& run : report.runs)
    if (run.wanted && run.balancing)
      text += fmt::format("job {}: {}\n", job_name(*run.outcome.run), text_of(*run.balancing));
  return text;
}

std::vector<std::string> cells_of(const std::string& name, const operations::JobSums& sums) {
  const auto count = [](std::uint32_t number) { return std::to_string(number); };
  return {shortened(name, 30),
          count(sums.measured),
          count(sums.packed),
          count(sums.grouped),
          count(sums.left),
          count(sums.failed),
          count(sums.unknown_end),
          count(sums.compared),
          sums.compared > 0 ? fmt::format("{:.4g}", sums.saved.node_hours) : "",
          sums.compared > 0 ? fmt::format("{:.4g}", sums.saved.time.value) : "",
          count(sums.compared_energy),
          sums.compared_energy > 0 ? fmt::format("{:.4g}", sums.saved.energy->value) : ""};
}

}  // namespace

void add_balancing(operations::JobReport& report) {
  for (operations::ReportedRun& run : report.runs)
    if (run.wanted) run.balancing = balancing_in(run.outcome.profile_file);
}

std::string job_name(const OutcomeRun& run) {
  const std::string job =
      run.array ? fmt::format("{}_{}", run.array->job, run.array->task) : std::to_string(run.job);
  return run.step ? fmt::format("{}.{}", job, *run.step) : job + ".mpirun";
}

std::string charges_text(const operations::JobSums& sums) {
  return fmt::format(
      "Slurm charged {:.4g} billing-h for {} of these runs, and {:.4g} for those that they are "
      "compared with.",
      sums.charge, sums.compared_charge, sums.charge + *sums.saved.charge);
}

std::string runs_table(const operations::JobReport& report, Whose whose) {
  std::vector<render::Table::Column> columns = {{"user", kLeft},
                                                {"when (UTC)", kLeft},
                                                {"job", kLeft},
                                                {"label", kLeft},
                                                {"ranks"},
                                                {"done", kLeft},
                                                {"pattern", kLeft},
                                                {"nodes"},
                                                {"time s"},
                                                {"efficiency %"},
                                                {"slower %"},
                                                {"predicted %", kLeft},
                                                {"rests on", kLeft},
                                                {"energy J"},
                                                {"predicted J"},
                                                {"saved node-h"},
                                                {"billing-h", kLeft},
                                                {"", kLeft}};
  // Where Slurm has no accounting, no run has a charge.
  const bool are_charged = std::ranges::any_of(report.runs, charge_is_known);
  if (!are_charged) columns.erase(columns.end() - 2);
  const bool are_used = std::ranges::any_of(report.runs, efficiency_is_known);
  if (!are_used) columns.erase(columns.begin() + kEfficiencyColumn + 1);
  render::Table table = table_of(std::move(columns), whose);
  for (const operations::ReportedRun& run : report.runs) {
    if (!run.wanted) continue;
    std::vector<std::string> cells = cells_of(report, run);
    if (!are_charged) cells.erase(cells.end() - 2);
    if (!are_used) cells.erase(cells.begin() + kEfficiencyColumn);
    table.add(with_user(run.outcome.user, std::move(cells), whose));
  }
  return table.text() + marks_of(report);
}

std::string sums_table(const operations::JobReport& report, Whose whose) {
  render::Table table = table_of({{"user", kLeft},
                                  {"label", kLeft},
                                  {"measured"},
                                  {"packed"},
                                  {"grouped"},
                                  {"left"},
                                  {"failed"},
                                  {"no end"},
                                  {"compared"},
                                  {"saved node-h"},
                                  {"saved time s"},
                                  {"energy known"},
                                  {"saved energy J"}},
                                 whose);
  std::size_t rows = 0;
  for (const auto& [user, of_user] : report.by_user)
    for (const auto& [label, sums] : of_user.by_label) {
      table.add(with_user(user, cells_of(label, sums), whose));
      ++rows;
    }
  if (rows != 1) table.add(with_user("all", cells_of("all", report.total), whose));
  std::string text = table.text();
  if (report.total.compared > 0)
    text +=
        "Saved: what packed and grouped runs took less than the runs on the nodes asked for that "
        "they are "
        "compared with; "
        "measured, not predicted.\n";
  if (report.total.compared_charge > 0) text += charges_text(report.total) + "\n";
  if (report.total.unexplained > 0)
    text += fmt::format(
        "{} packed run{} took less time than packing explains: another workload, it seems, not "
        "compared and not added up; --jobs says which.\n",
        report.total.unexplained, report.total.unexplained == 1 ? "" : "s");
  if (report.total.doubted > 0)
    text += fmt::format("{} energy figure{} implausible and not added up; --jobs says which.\n",
                        report.total.doubted, report.total.doubted == 1 ? " is" : "s are");
  return text;
}

}  // namespace huddle::cli
