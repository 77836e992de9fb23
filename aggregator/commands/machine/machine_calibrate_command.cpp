// huddle machine calibrate: measures what communication takes on the nodes at hand, and puts it
// into a machine document.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/operations/calibrate/calibration.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct CalibrateOptions {
  std::string machine;
  std::string budget = "10m";
  std::vector<std::string> from;
  std::string output;
  operations::CalibrationOptions calibration;
};

// The document that is filled: a given one, or this machine.
Machine machine_to_fill(const CalibrateOptions& options) {
  if (!options.machine.empty()) return machine_named(options.machine);
  Machine machine = this_machine();
  machine.name = "nodes";
  return machine;
}

// Measures into the file `results`. Throws Error if it was not measured to the end.
void measure(const CalibrateOptions& options, const Machine& machine, const std::string& results) {
  operations::CalibrationOptions calibration = options.calibration;
  calibration.budget = duration_from("--budget", options.budget);
  render::Progress progress("measurements");
  operations::CalibrationObserver observer;
  observer.begins = [&](std::size_t ranks, std::size_t nodes) {
    fmt::print(stderr, "huddle: measuring with {} ranks on {} node(s), for about {:.0f} s\n", ranks,
               nodes, calibration.budget.value);
  };
  observer.measured = [&](std::size_t done, std::size_t planned) { progress.show(done, planned); };
  try {
    naming_options([&] { operations::run_calibration(calibration, machine, results, observer); });
  } catch (const operations::UnfinishedCalibration& error) {
    throw Error(fmt::format("{}; the same command goes on with {}", error.what(), results));
  }
}

void report(const CalibrationResults& results) {
  fmt::print(stderr, "huddle: {} figures of nodes of {} ({} of them, {} ranks)\n", results.size(),
             results.layout, results.nodes, results.ranks);
  if (results.left_out > 0)
    fmt::print(stderr,
               "huddle: {} measurements were left out for want of time: give a larger --budget\n",
               results.left_out);
  if (results.nodes < 2)
    fmt::print(stderr,
               "huddle: the network was not measured, which takes two nodes: its figures are as "
               "they were\n");
}

void fill(Machine& machine, const CalibrationResults& results, const CalibrateOptions& options) {
  operations::put_in(machine, results);
  render::put_out(to_json(machine), options.output);
  report(results);
}

void calibrate(const CalibrateOptions& options) {
  if (!options.from.empty()) {
    const CalibrationResults results = operations::results_from(options.from);
    Machine machine =
        options.machine.empty() ? operations::machine_of(results) : machine_to_fill(options);
    fill(machine, results, options);
    return;
  }
  Machine machine = machine_to_fill(options);
  const std::string results =
      (options.output.empty() ? "huddle-calibration" : options.output) + ".results";
  measure(options, machine, results);
  fill(machine, load_calibration(results), options);
  std::error_code absent;
  std::filesystem::remove(results, absent);
}

}  // namespace

cli::App* add_machine_calibrate_command(cli::App& machine) {
  auto options = std::make_shared<CalibrateOptions>();
  cli::App* command = machine.add_subcommand(
      "calibrate",
      "Measure messages, collectives and memory on the nodes at hand: those of the Slurm "
      "allocation that it runs in, those of --hosts, or this machine. Nothing else should run "
      "there. One rank runs on each core; what it takes to communicate goes into a machine "
      "document. One that was interrupted goes on by the same command");
  command
      ->add_option("-m,--machine", options->machine,
                   "the document to fill, or the name of one on file: what is not measured "
                   "stays (default: this machine's topology)")
      ->value("FILE");
  command
      ->add_option("--hosts", options->calibration.hosts,
                   "the nodes (default: those of the allocation, else this machine)")
      ->delimiter(',');
  command
      ->add_option("--launcher", options->calibration.launcher,
                   "what starts MPI programs, with options: mpirun or srun; MPICH's mpirun works, "
                   "too")
      ->capture_default_str();
  command
      ->add_option("--budget", options->budget,
                   "about how long it may take: 90s, 10m, 1h; what matters most is measured first")
      ->value("TIME")
      ->capture_default_str();
  command
      ->add_option("--what", options->calibration.what,
                   "what is measured, one or several, joined by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(cli::IsMember({"messages", "collectives", "streams"}));
  command->add_option("--from", options->from,
                      "measure nothing: take results from these files, such as a simulator's");
  command->add_option("--program", options->calibration.program,
                      "the program that measures (default: the installed one)");
  command
      ->add_option("-o,--output", options->output,
                   "where the document goes (default: standard output)")
      ->value("FILE");
  command->add_example(
      "sbatch --nodes=8 --exclusive --wrap \"huddle machine calibrate -m machine.json -o "
      "measured.json\"");
  command->callback([options] { calibrate(*options); });
  return command;
}

}  // namespace huddle::cli
