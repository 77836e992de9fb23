// Preloaded by srun-aggregate and mpirun-aggregate into the launcher that they become, where Slurm
// has no plugin: keeps a record of the step in the profile directory, as the plugin does in srun.
// It is there in no other process: what the launcher starts does not inherit it.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/launch/launched_command.hpp"
#include "spank_plugin/launch/mpirun_record.hpp"
#include "spank_plugin/launch/outcome_record.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle::launch {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): all of this is done before main()

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string told(StepWord word) {
  return own_step_word(word).value_or("");
}

std::size_t number(StepWord word) {
  return number_in<std::size_t>(told(word)).value_or(0);
}

bool is_shell(std::string_view program) {
  constexpr std::array kShells = {"sh", "bash", "dash", "ksh", "zsh"};
  return std::find(kShells.begin(), kShells.end(), program) != kShells.end();
}

bool is_launcher(std::string_view program) {
  constexpr std::array kLaunchers = {"srun", "mpirun", "mpiexec", "orterun", "prte", "prterun"};
  return std::find(kLaunchers.begin(), kLaunchers.end(), program.substr(0, program.find('.'))) !=
         kLaunchers.end();
}

// A process that starts the launcher, or becomes it: a script, or Open MPI 5's mpirun, which
// becomes prterun.
bool precedes_launcher(std::string_view program) {
  return is_shell(program) ||
         (program.starts_with("mpi") && is_prrte("/proc/self/exe", std::string_view()));
}

/// The environment that a record is begun in, for a while.
class Borrowed {
 public:
  Borrowed(const std::string& store, const std::string& plan) : plan_(variable(kPlanVariable)) {
    set_own_step_word(kOutcomeStoreWord, store);
    ::setenv(kPlanVariable, plan.c_str(), 1);
  }
  ~Borrowed() {
    set_own_step_word(kOutcomeStoreWord, std::nullopt);  // where a job has one, it has an outcome
    if (plan_.empty())
      ::unsetenv(kPlanVariable);
    else
      ::setenv(kPlanVariable, plan_.c_str(), 1);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

 private:
  std::string plan_;
};

// A record that is begun here is no business of what the launcher starts.
void leave_no_trace() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<void*>(&leave_no_trace), &here) != 0) {
    const std::string rest = preload_without(variable("LD_PRELOAD"), here.dli_fname);
    if (rest.empty())
      ::unsetenv("LD_PRELOAD");
    else
      ::setenv("LD_PRELOAD", rest.c_str(), 1);
  }
  for (const StepWord word : kLaunchWords) set_own_step_word(word, std::nullopt);
}

Outcome outcome_of_launch() {
  Outcome outcome;
  outcome.user = store::current_user();
  outcome.label = told(kLaunchLabelWord);
  outcome.ranks = static_cast<std::uint32_t>(number(kLaunchRanksWord));
  outcome.reason = told(kLaunchReasonWord);
  for (const Treatment treatment : {Treatment::kMeasured, Treatment::kPacked, Treatment::kLeft})
    if (name_of(treatment) == told(kLaunchTreatmentWord)) outcome.treatment = treatment;
  outcome.plan_file = told(kLaunchPlanWord);
  OutcomeRun& run = outcome.run.emplace(run_of_this_job());
  if (const std::size_t nodes = number(kLaunchNodesWord))
    run.nodes = static_cast<std::uint32_t>(nodes);
  std::vector<std::string> words = words_of_process("self");
  const std::size_t of_program = std::min(number(kLaunchWordsWord), words.size());
  words.erase(words.begin(), words.end() - static_cast<std::ptrdiff_t>(of_program));
  run.launched = without_job(launched_by(words, variable("PATH")), variable("SLURM_JOB_ID"));
  run.program = run.launched.name();
  return outcome;
}

void begin() {
  Outcome outcome = outcome_of_launch();
  // A record is of a job of Slurm, and where the plugin is, it keeps one.
  if (outcome.run->job == 0 || outcome.run->nodes == 0 || outcome.ranks == 0 ||
      own_step_word(kOutcomeWord))
    return;
  const std::filesystem::path store = told(kLaunchStoreWord);
  with_files(store, [&] {
    static_cast<void>(
        store::Store(store).make_folder({outcome.user, outcome.label, outcome.ranks}));
  });
  const Borrowed environment(store.string(), outcome.plan_file);
  begin_record(std::move(outcome));
}

[[gnu::constructor]] void keep_record() noexcept {
  try {
    const std::string program = program_of_process("self");
    if (precedes_launcher(program)) return;
    if (is_launcher(program)) begin();
  } catch (const std::exception& error) {  // the ranks run all the same
    fmt::print(stderr, "huddle: no record of this step: {}\n", error.what());
  }
  leave_no_trace();
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace
}  // namespace huddle::launch
