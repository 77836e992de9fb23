// A component of Open MPI's, found by its MCA parameter mca_base_component_path, which the batch
// script of a packed or measured job has in its environment. Open MPI opens components of the
// framework "schizo" in all its processes; in an mpirun, and only there, this one does something.
// It names the plan's rankfile in the environment before mpirun reads it, unless the command line
// says otherwise: a variable in the script's own environment would do the same for every mpirun,
// and those that contradict it would fail. It lets ranks that are to be measured be started under
// the recorder. And it records what becomes of the ranks. Then it says that it is not available,
// and Open MPI unloads it.

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/launched_program.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/launch/mpirun_record.hpp"
#include "spank_plugin/launch/outcome_record.hpp"
#include "spank_plugin/preload/rank_preload.hpp"

namespace huddle::launch {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): runs before main

constexpr const char* kOpenMpiRankfile = "OMPI_MCA_orte_rankfile";

std::vector<std::string> unsaid;  // for the record

void say(const std::string& text) {
  if (own_step_word(kMessagesWord) == "0") return unsaid.push_back(text);
  const std::string line = "huddle: " + text + "\n";
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

void follow(const MpirunPlan& plan) {
  ::setenv(kOpenMpiRankfile, plan.rankfile.c_str(), 1);
  ::setenv("OMPI_MCA_rmaps_rank_file_physical", "1", 1);
  const auto text = own_step_word(kAnnouncementWord);
  if (text && !plan.plan_file.empty()) say(*text);
}

// For the recorder, which would only see what a script or a wrapper ends up as.
LaunchedProgram name_program(const std::vector<std::string>& words) {
  LaunchedProgram program = program_of_mpirun(words);
  set_own_step_word(kProgramWord,
                    program.path.empty() ? std::nullopt : std::optional(text_of(program)));
  return program;
}

// Ranks are started under the recorder; not mpirun, and what it starts besides.
void measure_ranks(const std::vector<std::string>& words) {
  const char* const recorder = std::getenv(kRecorderVariable);
  if (recorder == nullptr || std::getenv(preload::kForkAgentVariable) != nullptr)
    return;  // the user's own
  const char* const preloaded = std::getenv("LD_PRELOAD");
  const preload::ForkAgent agent =
      preload::fork_agent(words, preloaded == nullptr ? "" : preloaded, recorder);
  if (!agent.words.empty()) {
    ::setenv(preload::kForkAgentVariable, agent.words.c_str(), 1);
    return;
  }
  ::unsetenv(kRecorderVariable);  // nor do its daemons
  if (!own_step_word(kPackedRunWord)) say("not measured: " + agent.why_not);
}

// NOLINTEND(concurrency-mt-unsafe)

int register_parameters() {
  constexpr int kNotAvailable = -16;  // OPAL_ERR_NOT_AVAILABLE: ignore me, and say nothing
  try {
    if (program_of_process("self") != "orterun") return kNotAvailable;
    const std::vector<std::string> words = words_of_process("self");
    const LaunchedProgram program = name_program(words);
    measure_ranks(words);
    const std::optional<MpirunPlan> plan = plan_of_mpirun(words, program);
    // Before the plan's variables are set, which are no wish of the user's.
    auto outcome = mpirun_outcome(words, program, plan ? plan->plan_file : "");
    if (plan) follow(*plan);
    if (outcome) {
      outcome->messages = std::move(unsaid);
      begin_record(std::move(*outcome));
    }
  } catch (...) {  // mpirun does what it would do without us
  }
  return kNotAvailable;
}

// mca_base_component_2_1_0_t of Open MPI 2 to 5, whose header is not installed everywhere.
struct Component {
  std::array<int, 3> interface_version;
  std::array<char, 16> project;
  std::array<int, 3> project_version;
  std::array<char, 32> framework;
  std::array<int, 3> framework_version;
  std::array<char, 64> name;
  std::array<int, 3> version;
  int (*open)();
  int (*close)();
  int (*query)(void** module, int* priority);
  int (*register_parameters)();
  std::array<std::int32_t, 8> reserved;
};

}  // namespace
}  // namespace huddle::launch

extern "C"
    [[gnu::visibility("default")]] const huddle::launch::Component mca_schizo_huddle_component;
const huddle::launch::Component mca_schizo_huddle_component = {{2, 1, 0},
                                                               {"orte"},
                                                               {4, 0, 0},
                                                               {"schizo"},
                                                               {1, 0, 0},
                                                               {"huddle"},
                                                               {0, 1, 0},
                                                               nullptr,
                                                               nullptr,
                                                               nullptr,
                                                               &huddle::launch::register_parameters,
                                                               {}};
