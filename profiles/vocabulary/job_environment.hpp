#pragma once

namespace huddle {

/// What a user says for all submissions, in the words of the option --energy-aggregate; the option
/// wins. The only variable here that is the user's own.
inline constexpr const char* kOptionVariable = "HUDDLE_ENERGY_AGGREGATE";

/// The environment variables by which a submission tells its job what was decided. A user can set
/// them as well: whoever reads them does so with the user's rights.

/// The plan that the job's nodes were asked for; set in the whole job.
inline constexpr const char* kPlanVariable = "HUDDLE_PLAN";
/// The plan that this very step is laid out by; set by srun for a step that runs packed.
inline constexpr const char* kStepPlanVariable = "HUDDLE_STEP_PLAN";
/// The recorder's library; set where the job is measured.
inline constexpr const char* kRecorderVariable = "HUDDLE_RECORDER";
/// Root of the store that profiles go to; read by the recorder.
inline constexpr const char* kStoreVariable = "HUDDLE_STORE";
/// What profiles are kept by; read by the recorder.
inline constexpr const char* kLabelVariable = "HUDDLE_LABEL";
/// The size of the job's problem, if its user said it; read by the recorder.
inline constexpr const char* kSizeVariable = "HUDDLE_SIZE";
/// "1" if the recorder may make the store's root: the default store in the user's home.
inline constexpr const char* kStoreCreateVariable = "HUDDLE_STORE_CREATE";
/// "1" if the recorder may move ranks for parts of the run, "0" if it must not; see
/// profiles/recorder/moves/move_agreement.hpp.
inline constexpr const char* kMoveRanksVariable = "HUDDLE_MOVE_RANKS";

/// "1" if the recorder traces the run as well, into a folder beside the profile; see
/// profiles/recorder/process/trace_request.hpp.
inline constexpr const char* kTraceVariable = "HUDDLE_TRACE";

/// What the clocks of the step's cores shall be limited to, if anything; see
/// spank_plugin/frequency/frequency_request.hpp. Set in the whole job by the submission, and for
/// each rank by srun. The one variable here that root reads (in slurmstepd), within the site's
/// limits.
inline constexpr const char* kFrequencyVariable = "HUDDLE_FREQUENCY";

/// What to write into the records of what became of the job: an outcome document without a run, and
/// the root of the store that it goes to. Set where the option or the policy asks for anything.
inline constexpr const char* kOutcomeVariable = "HUDDLE_OUTCOME";
inline constexpr const char* kOutcomeStoreVariable = "HUDDLE_OUTCOME_STORE";

/// The library that lets Open MPI's mpirun follow the plan, and records what became of the ranks
/// that an mpirun started; set with kPlanVariable and kOutcomeVariable.
inline constexpr const char* kMpirunHelperVariable = "HUDDLE_MPIRUN_HELPER";
/// A rankfile for the job's nodes, and for how many ranks; set in the batch script of a packed job.
inline constexpr const char* kMpirunRankfileVariable = "HUDDLE_MPIRUN_RANKFILE";
inline constexpr const char* kMpirunRanksVariable = "HUDDLE_MPIRUN_RANKS";

}  // namespace huddle
