#pragma once

#include <charconv>
#include <functional>
#include <optional>
#include <string_view>

// All environment variables of Huddle: what each means, who sets it, who reads it. A user can set
// any of them, so what reads one does so with the user's rights; kFrequencyVariable is the
// exception. What only Huddle sets, for Huddle, is in one of them (step_words.hpp).
namespace huddle {

// --- Set by users and sites ---

/// A user's wish for all submissions, in the words of the option --energy-aggregate; the option
/// wins. Read by the plugin.
inline constexpr const char* kOptionVariable = "HUDDLE_ENERGY_AGGREGATE";
/// The events that are counted, or "none". Read by the recorder.
inline constexpr const char* kEventsVariable = "HUDDLE_EVENTS";
/// MiB of events of each rank, after which its trace ends. Read by the recorder.
inline constexpr const char* kTraceLimitVariable = "HUDDLE_TRACE_LIMIT";
/// If it is not empty, the clocks of the job's cores may follow the loads of its ranks while they
/// run. Set by users and by a submission ("1"); read by slurmstepd, within what the site allows,
/// and by the recorder.
inline constexpr const char* kBalanceVariable = "HUDDLE_BALANCE";
/// "auto" if Huddle may decide how the threads of the job's ranks wait for each other, "pack" if it
/// may bind them to fewer cores as well: as kTeamsVariable says, else to see what that takes. Set
/// by users, a submission and `huddle record`; read by the task hook, by libhuddle_exec.so and by
/// the recorder.
inline constexpr const char* kThreadsVariable = "HUDDLE_THREADS";
inline constexpr const char* kPackedThreads = "pack";
/// On how many cores the teams of which ranks' OpenMP regions run, as text (text_of(ChosenByRank)).
/// Set by users, by the task hook and by `huddle record`; read by the recorder where
/// kThreadsVariable is "pack".
inline constexpr const char* kTeamsVariable = "HUDDLE_TEAMS";
/// Another value, for tests of the recorder alone: teams are packed in another way at each region,
/// to find what that may break.
inline constexpr const char* kShakenTeams = "shake";
/// The order for a run that chooses for its teams itself, once it has tried them: a bound, an
/// objective and a machine document (text_of(ChoiceOrder)). Only where kThreadsVariable is "pack"
/// and kTeamsVariable is not set. Set by users and by a submission; read by the task hook and by
/// libhuddle_exec.so, which start the chooser beside the rank.
inline constexpr const char* kChooseVariable = "HUDDLE_CHOOSE";
/// The mode of EnergyLB in a Charm++ program, see docs/charm.md; the argument +EnergyLB wins. Read
/// by EnergyLB.
inline constexpr const char* kEnergyLbVariable = "HUDDLE_ENERGYLB";

// --- Set by a submission or by `huddle record` for the recorder ---

/// The recorder's library. Set by a submission whose job is measured; read by the task hook, which
/// preloads it, by the component in mpirun, and by what hands it on to programs that a rank starts.
inline constexpr const char* kRecorderVariable = "HUDDLE_RECORDER";
/// The file of the profile; comes before kStoreVariable. Set by `huddle record`.
inline constexpr const char* kProfileVariable = "HUDDLE_PROFILE";
/// The root of the store that profiles go to. Set by a submission.
inline constexpr const char* kStoreVariable = "HUDDLE_STORE";
/// A folder of this node, the rank's user's own, from where the profile is brought to the store:
/// no rank waits for the store's file system. Set by the task hook; read by the recorder, and
/// ignored where there is no such folder.
inline constexpr const char* kSpoolVariable = "HUDDLE_SPOOL";
/// The label that profiles are kept by. Set by a submission and by `huddle train`.
inline constexpr const char* kLabelVariable = "HUDDLE_LABEL";
/// The size of the problem, if it is known. Set by users, a submission and `huddle record`.
inline constexpr const char* kSizeVariable = "HUDDLE_SIZE";
/// The folder of the trace, or "1" for a folder beside the profile; unset if the run is not traced.
/// Set by a submission and `huddle record`.
inline constexpr const char* kTraceVariable = "HUDDLE_TRACE";

// --- Set by a submission, or later for a step, for the plugin's other hooks ---

/// The plan that the job's nodes were requested by. Set in the whole job; read by steps and tasks.
inline constexpr const char* kPlanVariable = "HUDDLE_PLAN";
/// The limits of the clocks of the step's cores, if there are any; see
/// spank_plugin/frequency/frequency_request.hpp. Set in the whole job by the submission, and for
/// each rank by srun. Read by root, in slurmstepd, within the site's limits.
inline constexpr const char* kFrequencyVariable = "HUDDLE_FREQUENCY";
/// Where the ranks of this very step meet the keeper of their clocks on this node, a socket
/// (docs/formats/keeper.md). Set by slurmstepd; read by the recorder.
inline constexpr const char* kKeeperVariable = "HUDDLE_KEEPER";

/// "1" in the process that is about to become a rank: if that may not get the recorder, rank 0 says
/// why. Set by the component in mpirun and by huddle-rank; read by libhuddle_exec.so.
inline constexpr const char* kRankStartVariable = "HUDDLE_RANK_START";

/// The connection to the chooser of this rank's teams: "DESCRIPTOR:INODE". Set by the task hook and
/// by libhuddle_exec.so in a rank; read by the recorder, and ignored where there is no such socket.
inline constexpr const char* kChooserVariable = "HUDDLE_CHOOSER";

// --- Between `huddle doctor` and the plugin ---

/// Set by `huddle doctor` to kWhichPlugin in a task that asks which plugin started it. The task
/// hook answers in its place: lines of NAME=VALUE, the names being version, built_for, running_in,
/// file and policy.
inline constexpr const char* kSelfReportVariable = "HUDDLE_PLUGIN";
inline constexpr const char* kWhichPlugin = "?";

// --- Set by tests ---

/// "keep": the files that a trace is made of stay. Read by the recorder and `huddle`.
inline constexpr const char* kTraceRawVariable = "HUDDLE_TRACE_RAW";

/// A look at the environment: returns the value of a variable, or a null pointer.
using Environment = std::function<const char*(const char* name)>;

/// The variable's text, empty if there is none.
inline std::string_view text_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// The variable as a decimal number; nothing if it is anything else, or too large.
template <class Number>
std::optional<Number> number_of(const Environment& environment, const char* name) {
  const std::string_view text = text_of(environment, name);
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace huddle
