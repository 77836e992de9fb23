// huddle machine calibrate: measures what communication takes on the nodes at hand, and puts it
// into a machine document.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <sstream>

#include "aggregator/commands/calibrate/calibrate_command.hpp"
#include "aggregator/operations/launch/calibration_launch.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/operations/launch/watched_child.hpp"
#include "aggregator/operations/calibrate/calibrated_machine.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/calibration_results.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string name;
  std::string machine;
  std::vector<std::string> hosts;
  std::string launcher = "mpirun";
  std::string budget = "10m";
  std::vector<std::string> what = {"messages", "collectives", "streams"};
  std::string resume;
  std::vector<std::string> from;
  std::string program;
  std::string output;
};

double budget_seconds(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, failure] = std::from_chars(text.data(), end, value);
  const std::string_view rest(unit, static_cast<std::size_t>(end - unit));
  const bool known = rest.empty() || rest == "s" || rest == "m" || rest == "h";
  if (failure != std::errc{} || !known || !(value > 0) || value > 1e6)
    throw UsageError(
        fmt::format("--budget {}: expected a time such as 90s, 10m or 1h", shortened(text)));
  return value * (rest == "m" ? 60 : rest == "h" ? 3600 : 1);
}

std::string layout_of(const NodeTopology& node) {
  return fmt::format("{}:{}:{}", node.packages, node.dies_per_package, node.cores_per_die);
}

// The document that is filled: a given one, or this machine.
Machine machine_to_fill(const Options& options) {
  if (!options.machine.empty()) return machine_named(options.machine);
  Machine machine;
  machine.name = "nodes";
  machine.topology = this_machine_xml();
  while (machine.topology.ends_with('\n')) machine.topology.pop_back();
  machine.node_memory = load_topology(machine.topology).memory;
  return machine;
}

// Without a document, results say themselves what nodes they are of.
Machine machine_of(const CalibrationResults& results) {
  std::string counts = results.layout;
  counts.replace(counts.find(':'), 1, " die:");
  counts.replace(counts.rfind(':'), 1, " core:");
  Machine machine;
  machine.name = "nodes";
  machine.topology = fmt::format("package:{} pu:1", counts);
  return machine;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.empty()) throw UsageError("--launcher: expected a command such as mpirun");
  return words;
}

// Installed beside the recorder, one for each MPI.
std::string program_for(LauncherKind kind, const std::string& given) {
  const fs::path folder = fs::path(Policy::defaults().recorder).parent_path();
  const std::string program =
      !given.empty() ? given
                     : (folder / (kind == LauncherKind::kMpich ? "huddle_calibration_mpich"
                                                               : "huddle_calibration"))
                           .string();
  if (::access(program.c_str(), X_OK) != 0)
    throw Error(
        fmt::format("can't run the calibration program {}: install it, or name it by "
                    "--program",
                    program));
  return fs::absolute(program).string();
}

void show_progress(Progress& progress, const std::string& results) {
  try {
    const CalibrationResults now = load_calibration(results);
    progress.show(std::min<std::size_t>(now.size(), now.planned), now.planned);
  } catch (const Error&) {
    // Not there yet.
  }
}

// Measures into the file `results`. Throws Error if it was not measured to the end.
void measure(const Options& options, const Machine& machine, const std::string& results) {
  const double seconds = budget_seconds(options.budget);
  const NodeTopology node = load_topology(machine.topology, "the machine");
  const std::vector<std::string> hosts =
      options.hosts.empty() ? hosts_of_allocation() : options.hosts;
  const CalibrationLaunch launch(words_of(options.launcher), hosts, node);
  if (launch.ranks() < 2)
    throw Error("there is one core only: nothing can be measured between ranks");
  const std::vector<std::string> command = launch.command(
      {program_for(launch.kind(), options.program), "--results", fs::absolute(results).string(),
       "--seconds", fmt::format("{}", seconds), "--layout", layout_of(node), "--cores",
       launch.pus(), "--what", fmt::format("{}", fmt::join(options.what, ","))});
  fmt::print(stderr, "huddle: measuring with {} ranks on {} node(s), for about {:.0f} s\n",
             launch.ranks(), std::max<std::size_t>(hosts.size(), 1), seconds);
  ChildEnd end;
  {
    Progress progress("measurements");
    end = run_watched(command, [&] { show_progress(progress, results); });
  }
  const std::string go_on = fmt::format("what was measured is kept; go on by --resume {}", results);
  if (end.interrupted) throw Error("interrupted: " + go_on);
  if (end.status != 0)
    throw Error(fmt::format("{} failed with status {}; {}", command.front(), end.status, go_on));
}

CalibrationResults results_from(const std::vector<std::string>& files) {
  CalibrationResults all = load_calibration(files.front());
  for (std::size_t i = 1; i < files.size(); ++i) {
    const CalibrationResults more = load_calibration(files[i]);
    if (more.layout != all.layout)
      throw UsageError(
          fmt::format("{} is of nodes of {}, {} of nodes of {}: they can't be one "
                      "machine",
                      files.front(), all.layout, files[i], more.layout));
    all.merge(more);
  }
  return all;
}

void say_what_there_is(const CalibrationResults& results) {
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

void fill(Machine& machine, const CalibrationResults& results, const Options& options) {
  const std::string layout = layout_of(load_topology(machine.topology, "the machine"));
  if (layout != results.layout)
    throw UsageError(
        fmt::format("the results are of nodes of {}, the machine has {}", results.layout, layout));
  put_in(machine, results);
  if (!options.name.empty()) machine.name = options.name;
  put_out(to_json(machine), options.output);
}

void run(const Options& options) {
  if (!options.from.empty()) {
    const CalibrationResults results = results_from(options.from);
    Machine machine = options.machine.empty() ? machine_of(results) : machine_to_fill(options);
    fill(machine, results, options);
    say_what_there_is(results);
    return;
  }
  Machine machine = machine_to_fill(options);
  const bool resumes = !options.resume.empty();
  const std::string results =
      resumes ? options.resume
              : (options.output.empty() ? "huddle-calibration" : options.output) + ".results";
  std::error_code absent;
  if (!resumes) fs::remove(results, absent);
  measure(options, machine, results);
  const CalibrationResults measured = load_calibration(results);
  fill(machine, measured, options);
  say_what_there_is(measured);
  if (!resumes) fs::remove(results, absent);
}

}  // namespace

CLI::App* add_calibrate_command(CLI::App& machine) {
  auto options = std::make_shared<Options>();
  CLI::App* command = machine.add_subcommand(
      "calibrate",
      "Measure messages, collectives and memory on the nodes at hand: those of the Slurm "
      "allocation that it runs in, those of --hosts, or this machine. Nothing else should run "
      "there. One rank runs on each core; what it takes to communicate goes into a machine "
      "document");
  command->add_option("-m,--machine", options->machine,
                      "the document to fill, or the name of one on file: what is not measured "
                      "stays (default: this machine's topology)");
  command->add_option("--name", options->name, "what to call it (default: as before, or nodes)");
  command
      ->add_option("--hosts", options->hosts,
                   "the nodes (default: those of the allocation, else this machine)")
      ->delimiter(',');
  command
      ->add_option("--launcher", options->launcher,
                   "what starts MPI programs, with options: mpirun or srun; MPICH's mpirun works, "
                   "too")
      ->capture_default_str();
  command
      ->add_option("--budget", options->budget,
                   "about how long it may take: 90s, 10m, 1h; what matters most is measured first")
      ->capture_default_str();
  command->add_option("--what", options->what, "what is measured, one or several, joined by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"messages", "collectives", "streams"}));
  command->add_option("--resume", options->resume,
                      "keep results in this file, and go on with those that are there");
  command->add_option("--from", options->from,
                      "measure nothing: take results from these files, such as a simulator's");
  command->add_option("--program", options->program,
                      "the program that measures (default: the installed one)");
  command->add_option("-o,--output", options->output,
                      "where the document goes (default: standard output)");
  command->callback([options] { run(*options); });
  return command;
}

}  // namespace huddle
