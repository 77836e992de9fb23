// huddle record: runs an MPI program under the recorder, without Slurm's help.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/foreground_child.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/commands/common/recovered_trace.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "aggregator/commands/record/closing_lines.hpp"
#include "aggregator/commands/record/kept_profiles.hpp"
#include "aggregator/commands/record/refused_programs.hpp"
#include "aggregator/commands/report/site_policy.hpp"
#include "aggregator/operations/launch/program_run.hpp"
#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "profiles/files/atomic_folder.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/recorder/trace/trace_recovery.hpp"
#include "profiles/store/recorded_runs.hpp"
#include "profiles/store/team_sizes.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string output = "profile.json";
  std::string recorder;
  std::string size;
  std::string threads;
  std::string teams;
  std::string choose;  // a machine document; kNothingIsChosen; or as the environment has it
  std::string store;   // empty: the site's
  std::string trace;   // a folder, kBesideProfile, or nothing
  bool quiet = false;
  std::vector<std::string> command;
};

constexpr const char* kBesideProfile = "true";  // what a flag without value is
constexpr const char* kNothingIsChosen = "no";
constexpr double kChoiceBound = 0.05;  // what groups of phases may become longer by

// Empty if none is wanted.
std::filesystem::path trace_folder(const Options& options) {
  if (options.trace != kBesideProfile) return options.trace;
  return std::filesystem::path(options.output).replace_extension(".trace");
}

// NOLINTBEGIN(concurrency-mt-unsafe): one thread

void set_variable(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw SystemError("set", name, errno);
}

void check_choice(const Options& options) {
  const bool chooses = !options.choose.empty() && options.choose != kNothingIsChosen;
  if (!options.choose.empty() && options.threads != kPackedThreads)
    throw UsageError(
        "--choose is for runs that try their teams on fewer cores: expected --threads pack with "
        "it");
  if (chooses && !options.teams.empty())
    throw UsageError("--teams and --choose exclude each other: one of them chooses");
}

// A run that tries its teams may choose by that, if it is long enough. What is wrong with the
// machine document is seen now, and not by a rank.
void let_run_choose(const Options& options) {
  if (options.choose.empty()) return;
  ::unsetenv(kChooserVariable);  // of a rank that this is started from
  if (options.choose == kNothingIsChosen) {
    ::unsetenv(kChooseVariable);
    return;
  }
  const Machine machine = load_machine(options.choose);
  if (!machine.power && !machine.power_states)
    throw Error(
        fmt::format("{} has no power figures, by which a run could choose: add \"power\" or "
                    "\"power_states\" to it (huddle-machine(1))",
                    options.choose));
  chooser::ChoiceOrder order;
  order.bound = kChoiceBound;
  order.machine = std::filesystem::absolute(options.choose).string();
  set_variable(kChooseVariable, text_of(order));
}

// libhuddle_exec.so tells each rank at its start how its threads wait, since it depends on how many
// ranks there are and on what they are bound to.
void act_on_threads(const Options& options, const std::string& handover) {
  if (::access(handover.c_str(), R_OK) != 0)
    throw Error(fmt::format("can't read {}, which lets --threads reach ranks", handover));
  set_variable(kThreadsVariable, options.threads);
  if (!options.teams.empty()) set_variable(kTeamsVariable, options.teams);
  let_run_choose(options);
}

store::SizesConsents consents_in(const Options& options) {
  std::vector<std::string> notes;
  const std::filesystem::path root = store::expand_home(
      options.store.empty() ? site_policy(notes).profiles_directory : options.store,
      store::current_home());
  for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  return store::SizesConsents(store::SizesConsents::folder_in(
      store::Store(std::filesystem::absolute(root)), store::current_user()));
}

// For programs of which the user allows it, smaller teams are tried, or used.
void let_sizes_change(const Options& options, const std::string& token) {
  set_own_step_word(kTeamSizesWord, std::nullopt);  // of a run that this one is started from
  if (options.threads != kPackedThreads) return;
  try {
    const std::string sizes = consents_in(options).for_ranks(token);
    if (!sizes.empty()) set_own_step_word(kTeamSizesWord, sizes);
  } catch (const Error& error) {  // the program is run all the same
    fmt::print(stderr, "huddle: teams keep their sizes: {}\n", error.what());
  }
}

std::string recorder_of(const Options& options) {
  return options.recorder.empty() ? Policy::defaults().recorder : options.recorder;
}

// Open MPI's mpirun hands only its own variables on to other nodes; on this one they are inherited.
// libhuddle_exec.so, in launchers, scripts and ranks' wrappers, judges each program that they
// start.
void preload(const Options& options) {
  const operations::Variables recorder = naming_options(
      [&] { return operations::recorder_variables(options.recorder, options.output); });
  for (const auto& [name, value] : recorder) set_variable(name.c_str(), value);
  ::unsetenv(kRecorderVariable);  // of the job that this runs in
  const std::string handover = handover_beside(recorder_of(options));
  if (::access(handover.c_str(), R_OK) == 0)
    set_variable("LD_PRELOAD", preload_with(recorder.front().second, handover));
}

// Returns why nothing is recorded; empty if nothing speaks against it.
std::string prepare_environment(const Options& options) {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const std::string before = preloaded == nullptr ? "" : preloaded;
  preload(options);
  const std::string why_not = why_not_recorded(options.command, before, recorder_of(options));
  if (!why_not.empty()) {
    if (before.empty())
      ::unsetenv("LD_PRELOAD");
    else
      set_variable("LD_PRELOAD", before);
    if (container_with_recorder(options.command).empty()) ::unsetenv(kProfileVariable);
  }
  set_own_step_word(kPackedRunWord,
                    std::nullopt);  // of the job that this runs in: here a profile is asked for
  set_own_step_word(kMessagesWord, std::nullopt);
  if (asked_size("--size", options.size)) set_variable(kSizeVariable, options.size);
  if (!options.teams.empty() && options.threads != kPackedThreads)
    throw UsageError(
        "--teams says where threads run that are packed: expected --threads pack with it");
  check_choice(options);
  if (!options.threads.empty()) act_on_threads(options, handover_beside(recorder_of(options)));
  const std::filesystem::path trace = trace_folder(options);
  if (trace.empty()) return why_not;
  files::AtomicFolder::check_free(trace);
  set_variable(kTraceVariable, std::filesystem::absolute(trace).string());
  return why_not;
}

void doubt_smaller_teams(const Options& options, const std::string& token) {
  if (options.threads != kPackedThreads) return;
  try {
    consents_in(options).doubt_audit(token + "/");
  } catch (const Error& failure) {
    fmt::print(stderr, "huddle: {}\n", failure.what());
  }
}

// `program`: stands behind "the trace", where there are several.
void tell_of_trace(const std::filesystem::path& folder, const std::string& program) {
  if (std::filesystem::exists(folder / "traces.otf2"))
    fmt::print(stderr,
               "huddle: the trace{1} is {0}; where ranks waited, says: huddle waitstates {0}\n",
               folder.string(), program);
  else
    fmt::print(stderr, "huddle: no trace{1} was written to {0}\n", folder.string(), program);
}

// Each program of the command has a trace of its own, beside the first one's.
void tell_of_traces(const recorder::TracesOfCommand& traces, const std::filesystem::path& first,
                    const std::vector<store::RecordedRun>& programs) {
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(programs.size(), 1));
  for (std::uint32_t number = 1; number <= count; ++number) {
    const std::filesystem::path trace = store::file_of_run(first, number);
    try {
      report_recovery(traces.recover(trace));
    } catch (const std::exception& failure) {
      fmt::print(stderr, "huddle: {}\n", failure.what());
    }
    tell_of_trace(trace, count > 1 ? fmt::format(" ({})", words_of(programs[number - 1])) : "");
  }
}

void tell_of_no_profile(const Options& options, const std::string& why_not,
                        const RefusedPrograms& refused) {
  std::string reason;
  if (was_interrupted()) reason = "it was interrupted before an MPI program began";
  if (const std::string starter = container_with_recorder(options.command);
      reason.empty() && !starter.empty())
    reason = fmt::format(
        "{} starts a container: are the recorder's folder and the profile's bound into it?",
        starter);
  if (reason.empty()) reason = why_not;
  if (reason.empty()) reason = refused.last();
  if (reason.empty()) reason = program_without_recorder(options.command, recorder_of(options));
  if (reason.empty())
    reason = fmt::format("did {} start a program that is linked with Open MPI or MPICH?",
                         options.command.front());
  fmt::print(stderr, "huddle: no profile was written to {}: {}\n", options.output, reason);
}

// Nothing that goes wrong here is the run's fault, or may change its status.
void tell_of_efficiency(const Options& options, const KeptProfiles& kept) {
  if (options.quiet) return;
  try {
    const RecordedCommand command{options.output, options.recorder, !options.trace.empty(),
                                  options.command};
    for (const std::string& line : closing_lines(kept.written(), command))
      fmt::print(stderr, "huddle: {}\n", line);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "huddle: how efficient the run was is not known: {}\n", failure.what());
  }
}

// The status of the command is ours, whether or not there is a profile.
void run(const Options& options) {
  const std::string why_not = prepare_environment(options);
  const KeptProfiles kept(options.output);
  const RefusedPrograms refused(options.output);
  const std::string token = store::new_sizes_token();
  let_sizes_change(options, token);
  const std::filesystem::path trace = trace_folder(options);
  const recorder::TracesOfCommand traces(
      trace.empty() ? trace : std::filesystem::absolute(trace).parent_path());
  const int status = run_in_foreground(options.command);
  // A program that says itself that it failed did not end well.
  if (status != 0) doubt_smaller_teams(options, token);
  for (const std::string& line : kept.lines(was_interrupted()))
    fmt::print(stderr, "huddle: {}\n", line);
  if (kept.are_none()) tell_of_no_profile(options, why_not, refused);
  tell_of_efficiency(options, kept);
  if (!trace.empty()) tell_of_traces(traces, trace, kept.programs());
  if (status != 0) cli::end_with(status);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace

void add_record_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "record", "Run an MPI program under the recorder, which leaves a profile of it");
  command
      ->add_option("-o,--output", options->output,
                   "where the profile goes; .cbor for the compact form")
      ->value("FILE")
      ->capture_default_str();
  command
      ->add_option("--recorder", options->recorder,
                   "the recorder's library (default: the installed one)")
      ->value("FILE");
  command->add_option("--size", options->size,
                      "the size of the problem that the program solves, such as 4096 or 64x64x32, "
                      "in whatever the program counts: kept in the profile, for forecasts of other "
                      "sizes");
  command
      ->add_option("--threads", options->threads,
                   "for ranks that mpirun or mpiexec starts, how threads of OpenMP wait for each "
                   "other is set, unless the environment says it: auto, or pack, by which they "
                   "leave their core sooner "
                   "and may be bound to fewer cores: for some moments, to see what that takes, or "
                   "as --teams says")
      ->value("HOW")
      ->check(cli::IsMember({"auto", kPackedThreads}).without_description());
  command
      ->add_option("--teams", options->teams,
                   "with --threads pack: on how many cores the threads of which regions run, as "
                   "huddle threads --json has it as teams")
      ->value("LINE");
  command
      ->add_option(
          "--choose", options->choose,
          "with --threads pack: a run that is long enough chooses by what it tried, and by "
          "the power figures of this machine document, on how many cores its teams run; "
          "no: it does not, whatever HUDDLE_CHOOSE says")
      ->value("MACHINE");
  command
      ->add_option("--store", options->store,
                   "with --threads pack: root of the stored profiles, where huddle threads "
                   "--consent-sizes notes of which programs teams may have fewer threads (default: "
                   "the site's, by /etc/slurm/huddle.toml or the policy that plugstack.conf names; "
                   "else ~/.huddle)")
      ->value("DIR");
  command->add_flag(
      "--trace", options->trace,
      "also trace the run: --trace=FOLDER leaves an OTF2 archive in FOLDER, --trace one beside the "
      "profile, as its name with .trace says; for huddle waitstates, Vampir and the like");
  command->add_flag("-q,--quiet", options->quiet,
                    "do not say at the end how efficient the run was");
  command
      ->add_option("COMMAND", options->command,
                   "what to run: a launcher and a program with their options")
      ->required();
  command->expect_separator();
  command->add_example("huddle record -- mpirun -n 16 ./app", "leaves profile.json");
  command->add_example("huddle record --trace -o app.json -- srun -n 64 ./app",
                       "and a trace, app.trace");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
