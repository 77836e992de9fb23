#pragma once

// Words of a submission to its job, and of srun to its step, beside what users set: one
// document in HUDDLE_STEP, described in docs/formats/step.md. A job keeps its environment however
// long it waits, and wherever it runs; a file might be gone, or its file system hang.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace huddle {

/// The variable that has the document.
inline constexpr const char* kStepVariable = "HUDDLE_STEP";

/// The document's first line. A line "NAME=VALUE" for each word follows.
inline constexpr std::string_view kFirstStepLine = "huddle/step 1\n";

/// One thing that is told, by its name in the document.
struct StepWord {
  std::string_view name;
};

/// The plan that this very step is laid out by. Set by srun for a step that runs packed.
inline constexpr StepWord kStepPlanWord{"step_plan"};
/// The plan of a job that keeps its nodes, which only says which ranks share one: of the job, and
/// of this very step. Read by srun; tasks are bound by Slurm, and mpirun does as it would.
inline constexpr StepWord kGroupingWord{"grouping"};
inline constexpr StepWord kStepGroupingWord{"step_grouping"};
/// "1" if other jobs may be on the nodes of a packed job, which has the cores that Slurm chose, or
/// if a job keeps its one node. Set by the submission; read by the task hook, which keeps to those.
inline constexpr StepWord kSharedNodesWord{"shared_nodes"};
/// The submission's line about the packed job. Set by it in the whole job, where the site wants
/// steps to say it, too; read by srun and by the component in mpirun.
inline constexpr StepWord kAnnouncementWord{"announcement"};
/// Contents of the records of what became of the job: an outcome document without a run, and
/// the root of the store that it goes to. Set where the option or the policy asks for anything.
inline constexpr StepWord kOutcomeWord{"outcome"};
inline constexpr StepWord kOutcomeStoreWord{"outcome_store"};
/// The claim of what the job alone does for now (profiles/store/job_claim.hpp): its token, a space,
/// and its file's name beside the job's records. Set by the submission; read where records begin.
inline constexpr StepWord kClaimWord{"claim"};
/// The component by which Open MPI's mpirun follows the plan, lets ranks be measured, and records
/// what became of them. Set with HUDDLE_PLAN, HUDDLE_RECORDER and kOutcomeWord; read by the task
/// hook.
inline constexpr StepWord kMpirunHelperWord{"mpirun_helper"};
/// A rankfile for the job's nodes, and for how many ranks. Set by the task hook in the batch script
/// of a packed job; read by the component in mpirun.
inline constexpr StepWord kMpirunRankfileWord{"mpirun_rankfile"};
inline constexpr StepWord kMpirunRanksWord{"mpirun_ranks"};
/// The digest of the job's script, see script_digest() of the plugin. Set by a submission; read by
/// the recorder.
inline constexpr StepWord kScriptWord{"script"};
/// "1" if the job follows a plan. The recorder then names the profile so that it is no sample for
/// plans, and no part of Huddle prints a message if the run can't be recorded. Set by a submission;
/// read by the recorder, the task hook, srun, the component in mpirun and libhuddle_exec.so.
inline constexpr StepWord kPackedRunWord{"packed_run"};
/// "1" if Huddle may print messages in the job's steps, "0" if what it has to say goes to their
/// records alone. Set by a submission as the site wants it; read by the plugin, which prints none
/// where it is not set, and by what is loaded into mpirun and ranks, which does: there somebody
/// uses the recorder by hand.
inline constexpr StepWord kMessagesWord{"messages"};
/// Build ids of the programs whose teams may have fewer threads, and where that was allowed
/// (SizesConsents::for_ranks()). Set by a submission and by `huddle record`; read by the recorder
/// where HUDDLE_THREADS is "pack".
inline constexpr StepWord kTeamSizesWord{"team_sizes"};
/// The program that the launcher was told to start: a build id, ":", a path (launched_program.hpp).
/// Set by srun and by the component in mpirun; read by the recorder.
inline constexpr StepWord kProgramWord{"program"};
/// "1" if that is a list of programs by rank (srun --multi-prog). Set by srun; read by the task
/// hook.
inline constexpr StepWord kProgramListWord{"program_list"};

/// The name that parse_outcome() has for the one in kOutcomeWord.
inline constexpr std::string_view kOutcomePlace = "the outcome in HUDDLE_STEP";

// Set by srun-aggregate and mpirun-aggregate for libhuddle_launcher.so, which removes them: what
// the record of the step says, each as in an outcome document.

inline constexpr StepWord kLaunchLabelWord{"launch_label"};
inline constexpr StepWord kLaunchRanksWord{"launch_ranks"};
/// "measured", "packed" or "left", and why.
inline constexpr StepWord kLaunchTreatmentWord{"launch_treatment"};
inline constexpr StepWord kLaunchReasonWord{"launch_reason"};
/// May be missing, or empty: none.
inline constexpr StepWord kLaunchPlanWord{"launch_plan"};
/// Nodes of the step; missing or empty: those of the job.
inline constexpr StepWord kLaunchNodesWord{"launch_nodes"};
/// The root of the store that the record goes to.
inline constexpr StepWord kLaunchStoreWord{"launch_store"};
/// Number of words at the end of the launcher's command line that are the program and its
/// arguments.
inline constexpr StepWord kLaunchWordsWord{"launch_words"};
inline constexpr std::array kLaunchWords = {
    kLaunchLabelWord, kLaunchRanksWord, kLaunchTreatmentWord, kLaunchReasonWord,
    kLaunchPlanWord,  kLaunchNodesWord, kLaunchStoreWord,     kLaunchWordsWord};

/// The value of `word` in the text of a document as it stands there; nothing if it has none, or is
/// no such document. Allocates nothing, so that it is safe between fork() and exec().
inline std::optional<std::string_view> raw_step_word(std::string_view document,
                                                     StepWord word) noexcept {
  if (!document.starts_with(kFirstStepLine)) return std::nullopt;
  for (std::string_view rest = document.substr(kFirstStepLine.size()); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.size() > word.name.size() && line.starts_with(word.name) &&
        line[word.name.size()] == '=')
      return line.substr(word.name.size() + 1);
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
  }
  return std::nullopt;
}

/// The value itself.
std::optional<std::string> step_word(std::string_view document, StepWord word);

/// The document with another value; one is begun where the text is none. `value`: nothing takes the
/// word out. Empty where no word is left.
std::string with_step_word(std::string_view document, StepWord word,
                           const std::optional<std::string>& value);

/// The same for this process's environment, before it has other threads.
std::optional<std::string> own_step_word(StepWord word);
void set_own_step_word(StepWord word, const std::optional<std::string>& value);

}  // namespace huddle
