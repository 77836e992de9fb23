// huddle forecast collect: rows for huddle forecast, from profiles of one program.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "aggregator/forecast/sizes/rows_of_profiles.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

struct CollectOptions {
  std::vector<std::string> profiles;
  SizeArgumentOption size_argument;
  std::string machine;
  std::string output = "rows.csv";
};

// Throws Error, fit behind the file's name, if it is of no use.
double usable_size(const Profile& profile, const std::vector<forecast::SizeArgument>& places) {
  if (!profile.complete)
    throw Error(fmt::format("was cut short: {}", shortened(profile.cut_short_reason)));
  if (profile.run_time() <= Seconds{0}) throw Error("has no run time in it");
  return forecast::problem_size_of(profile, places);
}

// A store may hold profiles of no use here: these are reported, and skipped.
std::vector<forecast::SizedRun> usable_runs(const CollectOptions& options) {
  const std::vector<forecast::SizeArgument> places = options.size_argument.places();
  std::vector<forecast::SizedRun> runs;
  const auto skip = [](const std::string& file, std::string_view why) {
    fmt::print(stderr, "huddle: skipped: {} {}\n", file, why);
  };
  for (const std::string& file : options.profiles) {
    std::optional<Profile> profile;
    try {
      profile = load_profile(file);
    } catch (const FormatError& error) {
      fmt::print(stderr, "huddle: skipped: {}\n", error.what());
      continue;
    }
    try {
      const double size = usable_size(*profile, places);
      if (!runs.empty() && !forecast::same_program(*profile, runs[0].profile))
        throw Error(
            fmt::format("is of another program than {}, or of another build of it", runs[0].file));
      runs.push_back({std::move(*profile), size, file});
    } catch (const Error& error) {
      skip(file, error.what());
    }
  }
  if (runs.empty()) throw Error("no profile is left to make rows of");
  return runs;
}

std::string summary_of(const forecast::CollectedRows& rows,
                       const std::vector<forecast::SizedRun>& runs, const std::string& output) {
  std::set<double> sizes;
  for (const forecast::SizedRun& run : runs) sizes.insert(run.size);
  std::string text =
      fmt::format("{}: {}, {}, {}, {}\n", output, pluralize(rows.table.rows(), "row"),
                  pluralize(rows.table.regions.size(), "region"), pluralize(runs.size(), "run"),
                  pluralize(sizes.size(), "size"));
  for (const std::string& note : rows.notes) text += note + "\n";
  return text;
}

void run_collect(const CollectOptions& options) {
  render::refuse_to_replace(options.profiles, "--output", options.output);
  const std::vector<forecast::SizedRun> runs = usable_runs(options);
  std::optional<Machine> machine;
  if (!options.machine.empty()) machine = machine_named(options.machine);
  const forecast::CollectedRows rows =
      forecast::rows_of_profiles(runs, machine ? &*machine : nullptr);
  forecast::write_measurements(rows.table, options.output, rows.notes);
  render::put_out(summary_of(rows, runs, options.output));
}

}  // namespace

void add_forecast_collect(cli::App& forecast) {
  auto options = std::make_shared<CollectOptions>();
  cli::App* command = forecast.add_subcommand(
      "collect",
      "Make rows for huddle forecast of profiles of one program at several problem sizes: a row "
      "for each phase group of each run, and one for the rest of the run");
  command->add_option("PROFILE", options->profiles, "profiles of one program")->required();
  options->size_argument.add_to(*command);
  command
      ->add_option("-m,--machine", options->machine,
                   "machine document, the name of one on file, or \"this\": tells the cores "
                   "that ranks had, and where no meter told the energy, what it comes to by the "
                   "machine's power figures")
      ->value("FILE");
  command->add_option("-o,--output", options->output, "where the rows go")
      ->value("FILE")
      ->capture_default_str();
  command->add_example(
      "huddle forecast collect run-*.json --size-argument --grid -m system-g -o rows.csv");
  command->callback([options] { run_collect(*options); });
}

}  // namespace huddle::cli
