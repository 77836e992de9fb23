// huddle forecast best: the configuration of least energy, energy-delay product or time.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/forecast/forecast_best_output.hpp"
#include "aggregator/commands/common/number_list.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/commands/forecast/rows_options.hpp"
#include "aggregator/commands/common/shares.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

struct Options {
  RowsOptions rows;
  std::string size;
  std::string objective = "energy";
  std::string slowdown = "5%";
  bool certain = false;
  std::optional<std::string> reference;
  std::optional<std::string> processes;
  std::optional<std::string> threads;
  std::optional<std::string> frequency;
  std::size_t top = 10;
  std::uint64_t seed = 1;
  bool json = false;
};

// What rows without sizes have instead must not be taken for one.
double size_to_choose(const std::optional<double>& asked, const MeasurementTable& rows,
                      const std::vector<Configuration>& measured) {
  if (asked && rows.find(ColumnRole::size) == nullptr)
    throw UsageError(
        fmt::format("--size {}: the rows do not tell size: leave it away, or say which column "
                    "holds it (--column size=NAME)",
                    problem_size_text(*asked)));
  return size_to_choose_for(measured, asked.value_or(0));
}

BestOptions best_options(const Options& options) {
  BestOptions best;
  best.objective = *objective_of(options.objective);
  best.most_slowdown.reset();
  if (options.slowdown != "none") best.most_slowdown = share_from("--slowdown", options.slowdown);
  best.certain = options.certain;
  if (options.processes) best.asked.processes = counts_from("--processes", *options.processes);
  if (options.threads) best.asked.threads = counts_from("--threads", *options.threads);
  if (options.frequency)
    best.asked.frequencies_ghz = frequencies_listed("--frequency", *options.frequency);
  return best;
}

void run(const Options& options) {
  BestAnswer answer;
  answer.options = best_options(options);
  std::optional<ProcessesThreads> reference;
  if (options.reference) reference = processes_and_threads_from("--reference", *options.reference);
  const std::optional<double> size = asked_size("--size", options.size);
  const RowsRead rows = read_rows(options.rows, RowsFor::program);
  const ProgramForecast program = [&] {
    StepProgress progress("Ctrl-C stops it");
    progress.begin("learning from the rows");
    return ProgramForecast::learn(rows.table, rows.screening.nesting, options.seed, 0);
  }();
  const std::vector<Configuration>& measured = program.measured();
  answer.size = size_to_choose(size, rows.table, measured);
  answer.size_told = rows.table.find(ColumnRole::size) != nullptr;
  if (reference)
    answer.options.reference = reference_configuration(
        measured, answer.size, reference->processes, reference->threads, reference->frequency_ghz);
  answer.best = best_configuration(
      candidate_configurations(measured, answer.size, answer.options.asked),
      [&](const Configuration& where) { return program.at(where); }, answer.options);
  answer.containing = rows.screening.nesting.containing;
  answer.best.remarks.insert(answer.best.remarks.end(), program.remarks().begin(),
                             program.remarks().end());
  if (!options.json)
    for (const std::string& remark : answer.best.remarks)
      fmt::print(stderr, "huddle: {}\n", remark);
  put_out(options.json ? best_json(answer) : best_text(answer, options.top));
}

void declare_choice(CLI::App& command, Options& options) {
  command.add_option(
      "--size", options.size,
      "the problem size to choose for, measured or not (default: the only one in the "
      "rows)");
  command
      .add_option("--objective", options.objective,
                  "what is to be least within the bound: energy, edp (energy x time) or time")
      ->check(CLI::IsMember({"energy", "edp", "time"}))
      ->capture_default_str();
  command
      .add_option("--slowdown", options.slowdown,
                  "the largest slowdown over the reference to accept, or none: any")
      ->capture_default_str();
  command.add_flag("--certain", options.certain,
                   "the whole 90 % interval of a time must be within the bound, not just the "
                   "likeliest time");
  command.add_option("--reference", options.reference,
                     "what slowdown is measured against: processes x threads such as 16x4, maybe "
                     "with a frequency (16x4@2.4GHz; else the highest measured one) (default: the "
                     "fastest one there is to choose from)");
}

void declare_candidates(CLI::App& command, Options& options) {
  command.add_option("--processes", options.processes,
                     "processes to choose from, such as 1,2,4 or 1-48 or 1-48:4 (each fourth), "
                     "measured or not. With any of these lists all combinations are considered "
                     "(default: the combinations that were measured)");
  command.add_option("--threads", options.threads, "threads of each process, in the same way");
  command.add_option("--frequency", options.frequency,
                     "frequencies, such as 1.2GHz,2.4GHz or 1.2-2.4GHz:200MHz (with a step)");
}

}  // namespace

void add_forecast_best(CLI::App& forecast) {
  auto options = std::make_shared<Options>();
  CLI::App* command = forecast.add_subcommand(
      "best",
      "Name the processes, threads and frequency that take least energy, energy-delay product or "
      "time for a problem size, within a bound of slowdown");
  options->rows.add_to(*command);
  declare_choice(*command, *options);
  declare_candidates(*command, *options);
  command->add_option("--top", options->top, "how many configurations the table shows")
      ->check(CLI::Range(std::size_t{1}, kMostCandidates))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the random numbers")->capture_default_str();
  command->add_flag("--json", options->json, "print JSON, of all configurations");
  command->callback([options] { run(*options); });
}

}  // namespace huddle
