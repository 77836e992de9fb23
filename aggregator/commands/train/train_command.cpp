// huddle train: learns from profiles of programs on several patterns how packing slows computation
// down; runs such programs itself, if it is asked to.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/operations/train/kernel_runs.hpp"
#include "aggregator/predict/computation/model_quality.hpp"
#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/computation/training.hpp"
#include "aggregator/predict/model/model.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/render/table.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "commgraph/topology/smt_node.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::vector<std::string> profiles;
  std::string machine;
  std::vector<std::string> samples;
  bool smt = false;
  std::string output;
  bool keep_poor_model = false;
  bool json = false;
  bool run = false;
  std::vector<std::string> patterns;
  std::string budget = "10m";
  operations::KernelRunOptions runs;
};

using nlohmann::ordered_json;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json encoded(const predict::ModelErrors& errors) {
  ordered_json entry = {{"mean", number(errors.mean())},
                        {"worst", number(errors.worst())},
                        {"predictions", ordered_json::array()}};
  for (const predict::LeftOutPrediction& left_out : errors.predictions)
    entry["predictions"].push_back({{"program", left_out.run},
                                    {"pattern", left_out.pattern.name()},
                                    {"measured_s", left_out.measured.value},
                                    {"predicted_s", left_out.predicted.value},
                                    {"error", left_out.error()}});
  return entry;
}

ordered_json encoded(const predict::FittedModels& fitted) {
  ordered_json entry = {{"events", fitted.with_events}, {"sample_patterns", ordered_json::array()}};
  for (const predict::Pattern& pattern : fitted.sample_patterns)
    entry["sample_patterns"].push_back(pattern.name());
  entry["default"] = fitted.paper_is_better() ? "paper" : "shared";
  entry["shared"] = encoded(fitted.shared_errors);
  entry["shared"]["shapes"] = ordered_json::array();
  for (std::size_t i = 0; i < fitted.shared.shapes.size(); ++i)
    entry["shared"]["shapes"].push_back(
        {{"shape", name_of(fitted.shared.shapes[i].shape)}, {"weight", fitted.shared.weights[i]}});
  entry["paper"] = encoded(fitted.paper_errors);
  entry["paper"]["events"] = fitted.paper.events;
  return entry;
}

std::string as_json(const predict::ComputationModel& model, const predict::ModelQuality& quality,
                    const std::vector<std::string>& notes) {
  ordered_json answer;
  answer["programs"] = model.programs.size();
  answer["acceptable"] = quality.acceptable();
  answer["most_mean_error"] = predict::kMostMeanError;
  answer["most_worst_error"] = predict::kMostWorstError;
  answer["fits"] = ordered_json::array();
  for (const predict::FittedModels& fitted : model.fits) answer["fits"].push_back(encoded(fitted));
  answer["notes"] = notes;
  return answer.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// The prediction of the paper's model for the same program and pattern, if any.
const predict::LeftOutPrediction* same_case(const predict::ModelErrors& errors,
                                            const predict::LeftOutPrediction& wanted) {
  for (const predict::LeftOutPrediction& left_out : errors.predictions)
    if (left_out.run == wanted.run && left_out.program == wanted.program &&
        left_out.pattern == wanted.pattern)
      return &left_out;
  return nullptr;
}

std::string percent(double error) {
  return std::isfinite(error) ? fmt::format("{:.2f}", std::abs(error) * 100) : "-";
}

// The shape of the paper's table I.
std::string error_table(const predict::FittedModels& fitted) {
  render::Table table({{"program", render::Table::Align::kLeft},
                       {"pattern", render::Table::Align::kLeft},
                       {"measured s"},
                       {"shared s"},
                       {"error %"},
                       {"paper s"},
                       {"error %"}});
  for (const predict::LeftOutPrediction& shared : fitted.shared_errors.predictions) {
    const predict::LeftOutPrediction* paper = same_case(fitted.paper_errors, shared);
    table.add({shortened(shared.run), shared.pattern.name(),
               fmt::format("{:.4g}", shared.measured.value),
               fmt::format("{:.4g}", shared.predicted.value), percent(shared.error()),
               paper != nullptr ? fmt::format("{:.4g}", paper->predicted.value) : "-",
               paper != nullptr ? percent(paper->error()) : "-"});
  }
  table.add({"mean", "", "", "", percent(fitted.shared_errors.mean()), "",
             percent(fitted.paper_errors.mean())});
  table.add({"worst", "", "", "", percent(fitted.shared_errors.worst()), "",
             percent(fitted.paper_errors.worst())});
  return table.text();
}

std::string for_people(const predict::FittedModels& fitted) {
  std::string samples;
  for (const predict::Pattern& pattern : fitted.sample_patterns)
    samples += fmt::format("{}{}", samples.empty() ? "" : " and ", pattern.name());
  std::string text = fmt::format(
      "{}, each program predicted from its samples on {} by models fitted without it:\n\n{}\n",
      fitted.with_events ? "With hardware events" : "With times alone", samples,
      error_table(fitted));
  const bool paper = fitted.paper_is_better();
  text += fmt::format("The {} model errs less, and is the default.\n",
                      paper ? "paper's" : "shared-resource");
  std::string shapes;
  for (std::size_t i = 0; i < fitted.shared.shapes.size(); ++i)
    if (fitted.shared.weights[i] > 0)
      shapes += fmt::format("{}{} {:.0f} %", shapes.empty() ? "" : ", ",
                            name_of(fitted.shared.shapes[i].shape), fitted.shared.weights[i] * 100);
  return text + fmt::format("Shapes of contention: {}.\n", shapes);
}

std::string for_people(const predict::ComputationModel& model) {
  std::string text;
  for (const predict::FittedModels& fitted : model.fits)
    text += (text.empty() ? "" : "\n") + for_people(fitted);
  return text;
}

std::string not_written(const Options& options, const predict::ModelQuality& quality) {
  return fmt::format(
      "{} is not written: the model's errors on programs left out are {}, expected {}. Measure "
      "each program longer ({}), on quiet nodes, or more programs and patterns; "
      "--keep-poor-model writes it all the same, but no job is planned by it",
      options.output, text_of(quality), predict::expected_quality(),
      options.run ? "a larger --budget, --turns" : "and several times");
}

commgraph::NodeTopology node_for(const Options& options, std::string& machine) {
  const auto places = [&](const commgraph::NodeTopology& node) {
    return options.smt ? commgraph::pus_of_node(node) : node;
  };
  if (options.machine.empty()) return places(commgraph::this_machine_topology());
  const Machine read = machine_named(options.machine);
  machine = read.name;
  return places(commgraph::load_topology(read.topology, options.machine));
}

std::vector<predict::Pattern> patterns_named(const std::vector<std::string>& names,
                                             const commgraph::NodeTopology& node) {
  std::vector<predict::Pattern> patterns;
  for (const std::string& name : names)
    patterns.push_back(predict::on_levels_of(node, predict::Pattern::parse(name)));
  return patterns;
}

operations::KernelRunResult run_shown(const operations::KernelRunOptions& runs,
                                      const commgraph::NodeTopology& node) {
  render::Progress progress("training run");
  operations::KernelRunObserver observer;
  observer.begins = [&](const operations::KernelRunObserver::Beginning& beginning) {
    fmt::print(stderr,
               "huddle: {} kernel(s) on {} pattern(s) of {} node(s): {} run(s) of about {:.1f} s "
               "to make, {} done before; profiles are kept in {}\n",
               beginning.kernels, beginning.patterns, beginning.nodes, beginning.runs_to_make,
               beginning.duration.value, beginning.runs_done, runs.folder.string());
  };
  observer.runs = [&](std::size_t run, std::size_t all) { progress.show(run, all); };
  try {
    return naming_options([&] { return operations::run_kernels(runs, node, observer); });
  } catch (const operations::UnknownKernel& error) {
    throw UsageError(fmt::format("--kernels: {}", error.what()));
  }
}

// Runs the training programs; returns what to learn from: their profiles and those that were given.
std::vector<std::string> measured(const Options& options, const commgraph::NodeTopology& node) {
  if (!options.run) return options.profiles;
  if (options.output.empty()) throw UsageError("--run needs --output, where the model goes");
  operations::KernelRunOptions runs = options.runs;
  runs.budget = duration_from("--budget", options.budget);
  runs.patterns = patterns_named(options.patterns, node);
  runs.folder = options.output + ".profiles";
  operations::KernelRunResult result = run_shown(runs, node);
  if (result.left_out > 0)
    fmt::print(stderr,
               "huddle: no time was left for {} run(s): the same command goes on behind those that "
               "are done, or give it a larger --budget\n",
               result.left_out);
  if (result.disturbed > 0)
    fmt::print(stderr,
               "huddle: in {} of {} runs that count, ranks were without a processor for more than "
               "{:.0f} % of the time: something else runs on these nodes, and the model will be "
               "wrong. Run it on quiet nodes, or with more --turns\n",
               result.disturbed, result.profiles.size(),
               100 * (1 - operations::KernelRunResult::kUndisturbed));
  for (const std::string& profile : options.profiles) result.profiles.push_back(profile);
  return std::move(result.profiles);
}

void run(const Options& options) {
  if (!options.run && options.profiles.empty())
    throw UsageError("PROFILE is required, or --run; see huddle train --help");
  std::string machine;
  const commgraph::NodeTopology node = node_for(options, machine);
  const std::vector<std::string> files = measured(options, node);
  std::vector<Profile> profiles;
  for (const std::string& file : files) profiles.push_back(load_profile(file));
  predict::TrainingOptions settings;
  settings.sample_patterns = patterns_named(options.samples, node);
  std::sort(settings.sample_patterns.begin(), settings.sample_patterns.end());
  const std::vector<predict::ProgramSamples> programs =
      predict::samples_of_programs(profiles, node);
  std::vector<std::string> notes;
  for (const predict::ProgramSamples& program : programs)
    for (const std::string& note : program.notes)
      notes.push_back(fmt::format("{}: {}", shortened(program.run), note));
  render::Progress progress("training step");
  const predict::ComputationModel model = predict::train(
      programs, settings, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  const predict::ModelQuality quality = predict::quality_of(model);
  const bool kept = quality.acceptable() || options.keep_poor_model;
  if (!options.output.empty() && kept) predict::save_model({machine, model, files}, options.output);
  if (options.json) {
    render::put_out(as_json(model, quality, notes));
  } else {
    render::put_out(for_people(model));
    for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  }
  if (quality.acceptable()) return;
  if (!options.output.empty() && !kept) throw Error(not_written(options, quality));
  fmt::print(stderr,
             "huddle: the model is poor: its errors on programs left out are {}, expected {}: no "
             "job is planned by it\n",
             text_of(quality), predict::expected_quality());
}

void add_run_options(cli::App& command, Options& options) {
  command.add_flag("--run", options.run,
                   "run Huddle's own training programs first: on the nodes of this Slurm "
                   "allocation, or else on this machine alone. Nothing else should run there");
  command
      .add_option("--patterns", options.patterns,
                  "the patterns to run them on (default: up to 12, the most telling ones first)")
      ->value("FILE")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--kernels", options.runs.kernels,
                  "which of the training programs (default: all; see huddle_training_kernels "
                  "--list)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--budget", options.budget,
                  "about how long all runs may take, such as 90s, 10m or 1.5h; what has no time "
                  "left is left out")
      ->value("TIME")
      ->capture_default_str();
  command
      .add_option("--turns", options.runs.turns,
                  "run everything so often; of each program and pattern the run that took least "
                  "counts, as a disturbance only ever adds time")
      ->check(cli::Range(1U, 1000U))
      ->capture_default_str();
  command
      .add_option("--launcher", options.runs.launcher,
                  "Open MPI's mpirun or Slurm's srun, with options of your own behind it")
      ->capture_default_str();
  command
      .add_option("--hosts", options.runs.hosts,
                  "the nodes to run on (default: those of this Slurm allocation, or this machine)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--recorder", options.runs.recorder,
                  "the recorder's library (default: the installed one)")
      ->value("FILE");
}

}  // namespace

void add_train_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "train",
      "Learn from profiles how packing slows computation down, and write a model.\nRun some "
      "programs, compute-bound to memory-bound, on several patterns each (huddle record), and give "
      "all profiles here. Each program is then left out once, and the table says how well the rest "
      "predict it. huddle recommend --model uses the model for programs that were not among them");
  command->add_option("PROFILE", options->profiles,
                      "profiles of three or more programs, each on the same three or more patterns "
                      "(two, if the nodes have no more); one program is one label and executable, "
                      "and may have several inputs");
  command
      ->add_option("-m,--machine", options->machine,
                   "machine document of the nodes that they ran on, or the name of one on file "
                   "(default: this machine)")
      ->value("FILE");
  command
      ->add_option("--samples", options->samples,
                   "the patterns that programs will be measured on before they are predicted, such "
                   "as 1:1:1,2:2:2 (default: a pair on which the errors are least)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag(
      "--smt", options->smt,
      "cores take several ranks, one on each of their PUs: what that costs is learnt, "
      "too, for huddle recommend --smt");
  command->add_option("-o,--output", options->output, "write the model to this file")
      ->value("FILE");
  command->add_flag("--keep-poor-model", options->keep_poor_model,
                    fmt::format("write the model even if its errors on programs left out are "
                                "larger than they may be, {}: no job is planned by it",
                                predict::expected_quality()));
  command->add_flag("--json", options->json, "print JSON");
  add_run_options(*command, *options);
  command->add_example(
      "salloc --nodes=8 --exclusive huddle train --run --budget 20m -m machine.json -o model.json",
      "runs the programs that come with Huddle");
  command->add_example("huddle train runs/*.json -m machine.json -o model.json",
                       "learns from profiles that there are");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
