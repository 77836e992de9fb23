// huddle forecast best: the configuration of least energy, energy-delay product or time.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "aggregator/commands/forecast/forecast_output.hpp"
#include "aggregator/commands/forecast/rows_options.hpp"
#include "aggregator/forecast/report/report_json.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& into, const char* name, const char* unit, const std::optional<Estimate>& estimate) {
  const std::string key(name);
  into[key + unit] = estimate ? Json(estimate->value) : Json();
  into[key + "_low" + unit] = estimate ? Json(estimate->low) : Json();
  into[key + "_high" + unit] = estimate ? Json(estimate->high) : Json();
}

Json encoded(const BestCandidate& candidate) {
  const ForecastAt& forecast = candidate.forecast;
  Json out = {{"processes", forecast.where.processes},
              {"threads", forecast.where.threads},
              {"frequency_ghz", forecast.where.frequency_ghz},
              {"nodes", forecast.where.nodes},
              {"packages", forecast.where.packages}};
  put(out, "time", "_s", forecast.time_s);
  put(out, "energy", "_j", forecast.energy_j);
  put(out, "edp", "_js", candidate.edp_js);
  out["slowdown"] = candidate.slowdown ? Json(*candidate.slowdown) : Json();
  out["measured_rows"] = forecast.measured_rows;
  out["time_model"] = forecast.time_model;
  out["energy_model"] = forecast.energy_model;
  out["beyond"] = forecast.beyond;
  out["time_not_predicted"] = forecast.time_not_predicted;
  out["energy_not_predicted"] = forecast.energy_not_predicted;
  out["feasible"] = candidate.feasible;
  out["reason"] = candidate.why_not;
  out["alike"] = candidate.alike;
  return out;
}

std::string best_json(const BestAnswer& answer) {
  const BestConfiguration& best = answer.best;
  const BestCandidate* chosen = best.chosen();
  Json out = {{"size", answer.size_known ? Json(answer.size) : Json()},
              {"objective", name_of(answer.options.objective)},
              {"slowdown_bound",
               answer.options.most_slowdown ? Json(*answer.options.most_slowdown) : Json()},
              {"certain", answer.options.certain},
              {"chosen", chosen != nullptr ? encoded(*chosen) : Json()},
              {"reference", best.reference ? encoded(*best.reference) : Json()},
              {"candidates", Json::array()},
              {"left_out", best.left_out},
              {"containing", containing_json(answer.containing)},
              {"remarks", best.remarks}};
  for (const BestCandidate& candidate : best.candidates)
    out["candidates"].push_back(encoded(candidate));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

struct BestArguments {
  RowsOptions rows;
  std::string size;
  std::string objective = "energy";
  std::string slowdown = "5%";
  bool certain = false;
  std::optional<std::string> reference;
  std::optional<std::string> processes;
  std::optional<std::string> threads;
  std::optional<std::string> frequency;
  std::optional<std::string> nodes;
  std::optional<std::string> packages;
  std::size_t top = 10;
  std::uint64_t seed = 1;
  bool json = false;
};

// Without a column of sizes, all rows have size 1.
double size_to_choose(const std::optional<double>& asked, const MeasurementTable& rows,
                      const std::vector<Configuration>& measured) {
  if (asked && rows.find(ColumnRole::size) == nullptr)
    throw UsageError(
        fmt::format("--size {}: the rows have no sizes: leave it out, or say which column holds "
                    "them (--column size=NAME)",
                    problem_size_text(*asked)));
  return size_to_choose_for(measured, asked.value_or(0));
}

const char* option_of(ChoiceTerm term) {
  switch (term) {
    case ChoiceTerm::size:
      return "--size";
    case ChoiceTerm::processes:
      return "--processes";
    case ChoiceTerm::threads:
      return "--threads";
    case ChoiceTerm::frequency:
      return "--frequency";
    case ChoiceTerm::nodes:
      return "--nodes";
    case ChoiceTerm::packages:
      return "--packages";
    case ChoiceTerm::candidates:
      return "--processes, --threads, --frequency, --nodes, --packages";
    case ChoiceTerm::reference:
      return "--reference";
    case ChoiceTerm::objective:
      return "--objective";
    case ChoiceTerm::slowdown:
      return "--slowdown";
  }
  return "";
}

BestOptions best_options(const BestArguments& options) {
  BestOptions best;
  best.objective = *objective_of(options.objective);
  best.most_slowdown.reset();
  if (options.slowdown != "none") best.most_slowdown = share_from("--slowdown", options.slowdown);
  best.certain = options.certain;
  if (options.processes) best.asked.processes = counts_from("--processes", *options.processes);
  if (options.threads) best.asked.threads = counts_from("--threads", *options.threads);
  if (options.frequency)
    best.asked.frequencies_ghz = frequencies_listed("--frequency", *options.frequency);
  if (options.nodes) best.asked.nodes = counts_from("--nodes", *options.nodes);
  if (options.packages) best.asked.packages = counts_from("--packages", *options.packages);
  return best;
}

void choose(const ProgramForecast& program, const RowsRead& rows, double size,
            const std::optional<ProcessesThreads>& reference, BestAnswer& answer) {
  const std::vector<Configuration>& measured = program.measured();
  answer.size = size;
  if (reference)
    answer.options.reference = reference_configuration(
        measured, size, reference->processes, reference->threads, reference->frequency_ghz);
  if (answer.options.reference && rows.packages_by_machine)
    answer.options.reference->packages = rows.machine->packages_for(*answer.options.reference);
  std::vector<Configuration> candidates =
      candidate_configurations(measured, size, answer.options.asked);
  if (rows.machine) {
    const PackagesUsed used =
        rows.table.find(ColumnRole::packages) == nullptr                    ? PackagesUsed::unknown
        : rows.packages_by_machine && answer.options.asked.packages.empty() ? PackagesUsed::fewest
                                                                            : PackagesUsed::counted;
    candidates = possible_on(*rows.machine, std::move(candidates), used);
  }
  answer.best = best_configuration(
      candidates, [&](const Configuration& where) { return program.at(where); }, answer.options);
  if (answer.best.left_out > 0)
    answer.best.remarks.push_back(
        fmt::format("{} left out: beyond what was measured; --processes, --threads, --frequency, "
                    "--nodes and --packages ask for such",
                    counted(answer.best.left_out, "configuration was", "configurations were")));
}

void run_best(const BestArguments& options) {
  BestAnswer answer;
  answer.options = best_options(options);
  std::optional<ProcessesThreads> reference;
  if (options.reference) reference = processes_and_threads_from("--reference", *options.reference);
  const std::optional<double> size = asked_size("--size", options.size);
  const RowsRead rows = read_rows(options.rows, RowsFor::program);
  const ProgramForecast program = [&] {
    StepProgress progress("Ctrl-C stops it");
    progress.begin("learning from the rows");
    return ProgramForecast::learn(rows.table, rows.screening.nesting, options.seed, 0,
                                  rows.machine);
  }();
  answer.size_known = rows.table.find(ColumnRole::size) != nullptr;
  try {
    choose(program, rows, size_to_choose(size, rows.table, program.measured()), reference, answer);
  } catch (const ChoiceError& error) {
    throw UsageError(fmt::format("{}: {}", option_of(error.term()), error.what()));
  }
  answer.containing = rows.screening.nesting.containing;
  answer.best.remarks.insert(answer.best.remarks.end(), program.remarks().begin(),
                             program.remarks().end());
  if (!options.json)
    for (const std::string& remark : answer.best.remarks)
      fmt::print(stderr, "huddle: {}\n", remark);
  put_out(options.json ? best_json(answer) : best_text(answer, options.top));
}

void declare_choice(cli::App& command, BestArguments& options) {
  command.add_option(
      "--size", options.size,
      "the problem size to choose for, measured or not (default: the only one in the "
      "rows)");
  command
      .add_option("--objective", options.objective,
                  "what is to be least within the bound: energy, edp (energy x time) or time")
      ->check(cli::IsMember({"energy", "edp", "time"}))
      ->capture_default_str();
  command
      .add_option("--slowdown", options.slowdown,
                  "the largest slowdown over the reference to accept, or none: any")
      ->value("SHARE")
      ->capture_default_str();
  command.add_flag("--certain", options.certain,
                   "the whole 90 % interval of a time must be within the bound, not just the "
                   "likeliest time");
  command.add_option("--reference", options.reference,
                     "what slowdown is measured against: processes x threads such as 16x4, maybe "
                     "with a frequency (16x4@2.4GHz; else the highest measured one) (default: the "
                     "fastest one there is to choose from)");
}

void declare_candidates(cli::App& command, BestArguments& options) {
  command.add_option("--processes", options.processes,
                     "processes to choose from, such as 1,2,4 or 1-48 or 1-48:4 (each fourth), "
                     "measured or not. With any of these lists all combinations are considered "
                     "(default: the combinations that were measured)");
  command.add_option("--threads", options.threads, "threads of each process, in the same way");
  command.add_option("--frequency", options.frequency,
                     "frequencies, such as 1.2GHz,2.4GHz or 1.2-2.4GHz:200MHz (with a step)");
  command.add_option("--nodes", options.nodes,
                     "nodes that the processes are spread over, as for --processes");
  command.add_option("--packages", options.packages,
                     "packages (sockets) used on each node, in the same way");
}

}  // namespace

void add_forecast_best(cli::App& forecast) {
  auto options = std::make_shared<BestArguments>();
  cli::App* command =
      forecast.add_subcommand("best",
                              "Name the processes, threads, frequency and nodes that take least "
                              "energy, energy-delay product or "
                              "time for a problem size, within a bound of slowdown");
  options->rows.add_to(*command);
  declare_choice(*command, *options);
  declare_candidates(*command, *options);
  command->add_option("--top", options->top, "how many configurations the table shows")
      ->check(cli::Range(std::size_t{1}, kMostCandidates))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the random numbers")->capture_default_str();
  command->add_flag("--json", options->json, "print JSON, of all configurations");
  command->add_example(
      "huddle forecast best rows.csv --size 65536 --threads 1-48 --objective edp --slowdown 10%");
  command->callback([options] { run_best(*options); });
}

}  // namespace huddle
