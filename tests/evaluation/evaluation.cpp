// Compares what huddle predicts with what simulated clusters do, and prints the tables of
// docs/evaluation.md. See tests/evaluation/run.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>
#include <map>
#include <thread>

#include "profiles/vocabulary/error.hpp"
#include "tests/evaluation/report.hpp"

namespace {

using huddle::evaluation::Samples;

const std::map<std::string, Samples> kSamples = {{"packed-and-spread", Samples::kPackedAndSpread},
                                                 {"ends", Samples::kEnds},
                                                 {"one", Samples::kOne},
                                                 {"mixed", Samples::kMixed}};

struct Options {
  huddle::evaluation::StudyOptions study;
  std::string output;
  std::string samples = "mixed";
};

void run(const Options& options) {
  huddle::evaluation::Study study(options.study);
  const auto scores = study.run();
  const std::string report = huddle::evaluation::report_of(scores, study.trained());
  if (options.output.empty()) {
    fmt::print("{}", report);
  } else if (!(std::ofstream(options.output) << report).flush()) {
    throw huddle::Error("can't write " + options.output);
  }
  const std::string nonsense = huddle::evaluation::nonsense_in(scores);
  if (!nonsense.empty()) throw huddle::Error(nonsense);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares what huddle predicts with what simulated clusters do");
  Options options;
  options.study.processes = std::max(1U, std::thread::hardware_concurrency());
  app.add_option("--huddle", options.study.huddle, "the command to evaluate")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--folder", options.study.folder,
                 "where documents, answers and simulated runs are kept")
      ->required();
  app.add_option("--output", options.output, "write the tables to this file, not to stdout");
  app.add_option("--processes", options.study.processes, "how many processes work at once")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", options.study.quick, "one kind of node, a few programs on 16 ranks");
  app.add_option(
      "--ranks", options.study.ranks,
      "jobs of so many ranks only, a power of two (default: 16, 64 and 128, and 8 with --seed)");
  app.add_option(
      "--seed", options.study.seed,
      "programs drawn at random by this seed, in place of the named ones, and five kinds "
      "of contention more, which the model is not made of");
  app.add_flag("--keep-models", options.study.keep_models,
               "train only where there is no model yet");
  app.add_flag("--untrained", options.study.untrained, "ask for recommendations without a model");
  app.add_option("--sample-slowdown", options.study.sample_slowdown,
                 "how much slower a mixed run may be predicted to be, as a share")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--samples", options.samples,
                 "what is measured of each program: mixed (1:1:1, and a run whose nodes are filled "
                 "in different ways), one (1:1:1 alone), ends (1:1:1, and all cores) or "
                 "packed-and-spread (one die's cores, and one core of each die)")
      ->check(CLI::IsMember(kSamples))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  options.study.samples = kSamples.at(options.samples);
  try {
    run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "evaluation: {}\n", error.what());
    return 1;
  }
  return 0;
}
