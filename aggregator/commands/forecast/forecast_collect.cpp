// huddle forecast collect: rows for huddle forecast, from profiles of one program.

#include <fmt/format.h>

#include <algorithm>
#include <map>
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
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

struct CollectOptions {
  std::vector<std::string> profiles;
  std::string label;
  std::string store;
  std::string user = current_user();
  SizeArgumentOption size_argument;
  std::vector<std::string> sizes;  ///< "FILE=N"
  std::string machine;
  std::string output = "rows.csv";
};

using SizeByFile = std::map<std::string, double, std::less<>>;

SizeByFile given_sizes(const CollectOptions& options) {
  SizeByFile sizes;
  for (const std::string& text : options.sizes) {
    const std::size_t equals = text.rfind('=');
    const auto size = equals == std::string::npos
                          ? std::nullopt
                          : parse_problem_size(std::string_view(text).substr(equals + 1));
    if (!size || equals == 0)
      throw UsageError(fmt::format("--size {}: expected the name of a profile, = and its size: {}",
                                   shortened(text), kProblemSizes));
    sizes[text.substr(0, equals)] = *size;
  }
  return sizes;
}

std::vector<std::string> files_to_read(const CollectOptions& options) {
  std::vector<std::string> files = options.profiles;
  if (!options.label.empty()) {
    const Store store(expand_home(options.store, current_home()));
    for (const auto& path : store.profiles_of_label(options.user, options.label))
      files.push_back(path.string());
    if (files.empty())
      throw Error(fmt::format("there is no profile of {} in {}", shortened(options.label),
                              store.root().string()));
  }
  if (files.empty()) throw UsageError("name profiles, or the --label of stored ones");
  return files;
}

// Throws Error, fit behind the file's name, if it is of no use.
double usable_size(const Profile& profile, const std::string& file, const SizeByFile& given,
                   const std::vector<SizeArgument>& places) {
  if (!profile.complete)
    throw Error(fmt::format("was cut short: {}", shortened(profile.cut_short_reason)));
  if (profile.run_time() <= Seconds{0}) throw Error("has no run time in it");
  const auto found = given.find(file);
  return found != given.end() ? found->second : problem_size_of(profile, places);
}

// A store may hold profiles of no use here: these are reported, and skipped.
std::vector<SizedRun> usable_runs(const CollectOptions& options,
                                  const std::vector<std::string>& files) {
  const SizeByFile given = given_sizes(options);
  const std::vector<SizeArgument> places = options.size_argument.places();
  std::vector<SizedRun> runs;
  const auto skip = [](const std::string& file, std::string_view why) {
    fmt::print(stderr, "huddle: skipped: {} {}\n", file, why);
  };
  for (const std::string& file : files) {
    std::optional<Profile> profile;
    try {
      profile = load_profile(file);
    } catch (const FormatError& error) {
      fmt::print(stderr, "huddle: skipped: {}\n", error.what());
      continue;
    }
    try {
      const double size = usable_size(*profile, file, given, places);
      if (!runs.empty() && !same_program(*profile, runs[0].profile))
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

void warn_of_unused_sizes(const CollectOptions& options, const std::vector<std::string>& files) {
  for (const auto& [file, size] : given_sizes(options))
    if (std::find(files.begin(), files.end(), file) == files.end())
      throw UsageError(
          fmt::format("--size {}={}: there is no profile of that name among those to read",
                      shortened(file), problem_size_text(size)));
}

std::string summary_of(const CollectedRows& rows, const std::vector<SizedRun>& runs,
                       const std::string& output) {
  std::set<double> sizes;
  for (const SizedRun& run : runs) sizes.insert(run.size);
  std::string text =
      fmt::format("{}: {}, {}, {}, {}\n", output, pluralize(rows.table.rows(), "row"),
                  pluralize(rows.table.regions.size(), "region"), pluralize(runs.size(), "run"),
                  pluralize(sizes.size(), "size"));
  for (const std::string& note : rows.notes) text += note + "\n";
  return text;
}

void run_collect(const CollectOptions& options) {
  const std::vector<std::string> files = files_to_read(options);
  warn_of_unused_sizes(options, files);
  refuse_to_replace(files, "--output", options.output);
  const std::vector<SizedRun> runs = usable_runs(options, files);
  std::optional<Machine> machine;
  if (!options.machine.empty()) machine = machine_named(options.machine);
  const CollectedRows rows = rows_of_profiles(runs, machine ? &*machine : nullptr);
  write_measurements(rows.table, options.output, rows.notes);
  put_out(summary_of(rows, runs, options.output));
}

}  // namespace

void add_forecast_collect(cli::App& forecast) {
  auto options = std::make_shared<CollectOptions>();
  cli::App* command = forecast.add_subcommand(
      "collect",
      "Make rows for huddle forecast of profiles of one program at several problem sizes: a row "
      "for each phase group of each run, and one for the rest of the run");
  command->add_option("PROFILE", options->profiles, "profiles of one program");
  command->add_option("--label", options->label,
                      "the stored profiles of this label as well, with any number of ranks");
  command->add_option("--store", options->store, "root of the stored profiles")
      ->value("DIRECTORY")
      ->default_val("~/.huddle");
  command->add_option("--user", options->user, "whose stored profiles")->capture_default_str();
  options->size_argument.add_to(*command);
  command
      ->add_option("--size", options->sizes,
                   "FILE=N: the problem size of one profile, whatever else says; may be given "
                   "several times")
      ->allow_extra_args(false);
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

}  // namespace huddle
