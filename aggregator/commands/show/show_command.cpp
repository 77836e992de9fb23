// huddle show: what a profile or a trace holds.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/file_kind.hpp"
#include "aggregator/commands/common/recovered_trace.hpp"
#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/efficiency/page/efficiency_page.hpp"
#include "aggregator/efficiency/run_efficiency.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::vector<std::string> profiles;
  std::string matrix;
  std::string html;
  render::PairMatrix traffic = render::PairMatrix::kPointToPoint;
  bool messages = false;
  bool check = false;
  bool json = false;
  bool weak = false;
};

std::string for_people(const Profile& profile) {
  const render::RunSummary summary = render::summary_of(profile);
  const PlaceNames places(profile);
  const std::optional<efficiency::RunEfficiency> run = efficiency::efficiency_of(profile);
  return identity_text(profile, summary) + times_text(profile, summary) +
         phases_text(summary, places) + run_efficiency_text(run, summary) +
         regions_text(summary, places) + packed_text(summary, places) +
         periods_text(summary, profile.ranks) + collectives_text(summary) +
         (profile.wait_states ? traced_waiting_text(*profile.wait_states) : "") +
         balancing_text(summary) + meters_text(summary) + ranks_text(profile, run) +
         gaps_text(profile, summary);
}

void run_on_trace(const Options& options, const std::string& trace) {
  if (!options.matrix.empty() || !options.html.empty() || options.weak)
    throw UsageError(trace + " is a trace: of the options only --json and --check are for traces");
  const TraceOutput output = options.check  ? TraceOutput::kCheck
                             : options.json ? TraceOutput::kJson
                                            : TraceOutput::kText;
  render::put_out(show_trace(trace, output));
}

// Runs of one program: one profile after the other, so that only one is in memory.
void run_on_several(const Options& options) {
  if (!options.matrix.empty())
    throw UsageError("--matrix is for one profile, not for a comparison of several");
  std::string checked;
  std::string program;
  std::vector<efficiency::ScalingSample> samples;
  for (const std::string& file : options.profiles) {
    if (names_a_trace(file))
      throw UsageError(file + " is a trace: expected are profiles, of which several are compared");
    expect_kind(file, {FileKind::kProfile}, "huddle show compares profiles");
    const Profile profile = load_profile(file);
    program = program_name(profile);
    if (options.check)
      checked += file + ": a valid profile\n";
    else
      samples.push_back(efficiency::scaling_sample_of(profile, file));
  }
  if (options.check) return render::put_out(checked);
  const efficiency::Scaling scaling =
      scaling_of(std::move(samples),
                 options.weak ? std::optional(efficiency::ScalingKind::kWeak) : std::nullopt);
  if (!options.html.empty())
    render::put_out(efficiency::scaling_page(program, scaling), options.html);
  render::put_out(show_scaling(scaling, options.json));
}

void run(Options& options) {
  if (!options.html.empty()) render::refuse_to_replace(options.profiles, "--html", options.html);
  if (options.profiles.size() > 1) return run_on_several(options);
  const std::string file = trace_to_open(options.profiles.front());
  if (names_a_trace(file)) return run_on_trace(options, file);
  if (options.weak)
    throw UsageError("--weak is for a comparison: expected are several profiles with it");
  expect_kind(file, {FileKind::kProfile}, "huddle show reads profiles and traces");
  if (!options.matrix.empty()) check_matrix_file(options.matrix);
  const Profile profile = load_profile(file);
  if (options.check) return render::put_out(file + ": a valid profile\n");
  if (!options.matrix.empty())
    return write_matrix(profile, options.traffic,
                        options.messages ? commgraph::Weight::kMessages : commgraph::Weight::kBytes,
                        options.matrix);
  if (!options.html.empty())
    render::put_out(
        run_efficiency_page(profile, render::summary_of(profile), PlaceNames(profile), file),
        options.html);
  if (options.json)
    return render::put_out(show_json(profile, render::summary_of(profile), PlaceNames(profile)));
  render::put_out(for_people(profile));
}

std::map<std::string, int> matrix_by_name() {
  std::map<std::string, int> names;
  for (const render::PairMatrixName& name : render::kPairMatrixNames)
    names.emplace(name.option, static_cast<int>(name.traffic));
  return names;
}

}  // namespace

void add_show_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command =
      app.add_subcommand("show",
                         "Say what a profile holds: who talks to whom, where time "
                         "goes, how efficient the run was, what was not measured; or what "
                         "a trace holds");
  command
      ->add_option("PROFILE", options->profiles,
                   "a profile (.json or .cbor), or several of one program in several sizes: then "
                   "how it scales; or a trace: its folder, or its file that ends in .otf2")
      ->required();
  cli::Option* matrix = command
                            ->add_option("--matrix", options->matrix,
                                         "write the bytes between ranks to this file, row = "
                                         "sender, column = receiver: numbers if its "
                                         "name ends in .csv, a picture if in .svg")
                            ->value("FILE");
  cli::Option* json = command->add_flag("--json", options->json, "print a summary as JSON");
  cli::Option* check = command->add_flag("--check", options->check,
                                         "only say whether it is a valid profile or trace");
  command
      ->add_named_number(
          "--traffic", matrix_by_name(),
          [options](int number) { options->traffic = static_cast<render::PairMatrix>(number); },
          "what the matrix is of: point-to-point (the default), one-sided, neighbours "
          "(neighbourhood collectives) or all")
      ->needs(matrix);
  command
      ->add_flag("--messages", options->messages,
                 "numbers of messages instead of bytes in the matrix")
      ->needs(matrix);
  command->add_flag("--weak", options->weak,
                    "of several profiles: each thread has as much to do in all of them, even if "
                    "they don't say so");
  command
      ->add_option("--html", options->html,
                   "write a page for a browser to this file as well, which needs nothing else: how "
                   "efficient the run was, by phase, node and rank, or how the program scales")
      ->value("FILE")
      ->excludes(matrix)
      ->excludes(check);
  matrix->excludes(json)->excludes(check);
  json->excludes(check);
  command->add_example("huddle show profile.json");
  command->add_example("huddle show --matrix messages.svg --messages --traffic all profile.json",
                       "a picture of who sends how many messages to whom");
  command->add_example("huddle show p4.json p8.json p16.json", "how the program scales");
  command->add_example("huddle show --html page.html profile.json", "a page of its efficiency");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
