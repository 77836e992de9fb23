#include "spank_plugin/plugin/node/task_start.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/step_order.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "profiles/vocabulary/text.hpp"
#include "spank_plugin/launch/job_rankfiles.hpp"
#include "spank_plugin/launch/launched_command.hpp"
#include "spank_plugin/launch/program_list.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/plugin/client/cluster_nodes.hpp"
#include "spank_plugin/plugin/node/node_courier.hpp"
#include "spank_plugin/plugin/node/step_on_node.hpp"
#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/preload/chooser_start.hpp"
#include "spank_plugin/preload/rank_preload.hpp"
#include "spank_plugin/runtime/wait_policy/wait_policy.hpp"
#include "spank_plugin/submission/asked/slurm_texts.hpp"
#include "spank_plugin/submission/step_layout.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle::plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kComponentFile = "mca_schizo_huddle.so";
constexpr std::array<const char*, 2> kComponentPaths = {"OMPI_MCA_mca_component_path",
                                                        "OMPI_MCA_mca_base_component_path"};

bool first_on_node(spank_t spank) {
  return spank_item_of<int>(spank, S_TASK_ID, "task's local number") == 0;
}

// The words that the task will be started with.
std::vector<std::string> command_of(spank_t spank) {
  int count = 0;
  char** words = nullptr;
  const spank_err_t outcome = spank_get_item(spank, S_JOB_ARGV, &count, &words);
  if (outcome != ESPANK_SUCCESS || words == nullptr || count < 1)
    throw Error(fmt::format("not measured: Slurm does not give the task's command: {}",
                            spank_strerror(outcome)));
  return {words, words + count};
}

// The commands that tasks of this step are started with, of which `command` is what Slurm tells: of
// a list of programs its file, its text, and words that are put behind each. All tasks look at all,
// since ranks of one run are recorded together or not at all. Throws Error about the list.
std::vector<std::vector<std::string>> commands_of_step(const TaskEnvironment& environment,
                                                       const std::vector<std::string>& command) {
  if (!environment.get(kProgramListWord) || command.size() < 2) return {command};
  return launch::commands_in_list(command[1]);
}

// The first of several commands that must not get it decides.
preload::RankPreload preload_of_step(const TaskEnvironment& environment,
                                     const std::string& recorder,
                                     const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> commands;
  try {
    commands = commands_of_step(environment, words);
  } catch (const Error& error) {
    return {{}, error.what()};
  }
  preload::RankPreload preload;
  for (const std::vector<std::string>& command : commands) {
    preload = preload::rank_preload(command, environment.get("PATH").value_or(""),
                                    environment.get("LD_PRELOAD").value_or(""), recorder);
    if (preload.value.empty()) break;
  }
  return preload;
}

// True if anybody waits for a profile of this step: the job was asked for by as many ranks.
bool is_the_measured_step(spank_t spank, const TaskEnvironment& environment) {
  const auto promised = environment.get(kOutcomeWord);
  return !promised ||
         parse_outcome(*promised, kOutcomePlace).ranks ==
             spank_item_of<std::uint32_t>(spank, S_JOB_TOTAL_TASK_COUNT, "number of tasks");
}

// Returns true if it has it now.
bool preload_recorder(spank_t spank, const TaskEnvironment& environment,
                      const std::string& recorder, const std::vector<std::string>& words) {
  if (::access(recorder.c_str(), R_OK) != 0) {
    if (!first_on_node(spank)) return false;
    throw Error(fmt::format("not measured: the recorder {} is not on this node", recorder));
  }
  const preload::RankPreload preload = preload_of_step(environment, recorder, words);
  if (!preload.value.empty()) {
    environment.set("LD_PRELOAD", preload.value);
    return true;
  }
  const auto rank = spank_item_of<std::uint32_t>(spank, S_TASK_GLOBAL_ID, "task's number");
  if (rank == 0 && !preload.why_not.empty() && is_the_measured_step(spank, environment))
    throw Error("not measured: " + preload.why_not);
  return false;
}

void bind(spank_t spank, const StepOnNode& here) {
  const auto rank = spank_item_of<std::uint32_t>(spank, S_TASK_GLOBAL_ID, "task's number");
  const auto unbound = [&](const Error& error) {
    return Error(
        fmt::format("rank {} is bound as Slurm does it, not as planned: {}", rank, error.what()));
  };
  PuSet pus;
  try {
    pus = here.pus_of(spank, rank);
  } catch (const Error& error) {
    if (first_on_node(spank)) throw unbound(error);
    return;
  }
  try {
    pus.bind_this_thread();
  } catch (const Error& error) {
    throw unbound(error);
  }
}

bool finds_prrte(const TaskEnvironment& environment) {
  return launch::is_prrte_in_time("mpirun", environment.get("PATH").value_or(""));
}

// Open MPI's mpirun finds our component, and in it what a mere variable could not do.
void offer_component(const TaskEnvironment& environment) {
  // PMIx would take the variable for its own, and complain of what it says.
  if (finds_prrte(environment)) return;
  const std::string component = environment.get(kMpirunHelperWord).value_or("");
  const fs::path folder = fs::path(component).parent_path();
  if (component.empty() || ::access((folder / kComponentFile).c_str(), R_OK) != 0)
    throw Error(
        fmt::format("mpirun starts ranks as if there were no plan and no recorder: {} is "
                    "not on this node",
                    component.empty() ? kComponentFile : component));
  for (const char* name : kComponentPaths)  // the last is the usual one
    if (const auto paths = environment.get(name); paths || name == kComponentPaths.back())
      return environment.set(name, preload::component_path_with(paths.value_or(""), folder));
}

// Any mpirun but PRRTE's ignores the variable. Returns why there is no agent; empty if there is
// one.
std::string offer_agent(const TaskEnvironment& environment, const std::string& recorder) {
  if (environment.get(preload::kExecAgentVariable))
    return fmt::format("{} is set already", preload::kExecAgentVariable);
  const preload::ForkAgent agent = preload::exec_agent(recorder);
  if (!agent.words.empty()) environment.set(preload::kExecAgentVariable, agent.words);
  return agent.why_not;
}

// A script may find another mpirun by a module: then nothing is said of one that is not used.
void offer_agent_to_script(const TaskEnvironment& environment, const std::string& recorder) {
  const std::string why_not = offer_agent(environment, recorder);
  if (why_not.empty() || environment.get(kPackedRunWord) || !finds_prrte(environment)) return;
  throw Error("not measured if mpirun starts it: " + why_not);
}

// The plan's, those of its companions, and one for all other programs.
std::vector<std::string> rankfiles_of(const Plan& plan, const fs::path& plan_file,
                                      const std::vector<std::string>& nodes) {
  std::vector<std::string> texts = {openmpi_rankfile(plan, nodes)};
  for (const Plan::Companion& companion : plan.companions) {
    const Plan other = launch::load_plan_in_time(plan_file.parent_path() / companion.file);
    texts.push_back(same_order(other, plan) ? openmpi_rankfile(other, nodes)
                                            : openmpi_rankfile_of_nodes(plan, nodes));
  }
  texts.push_back(openmpi_rankfile_of_nodes(plan, nodes));
  return texts;
}

// A batch script may start its ranks by mpirun instead of srun. Open MPI's mpirun follows the plan,
// or its companion for the program, by its own rankfile; of other programs it takes the nodes from
// the last one.
void write_rankfiles(const TaskEnvironment& environment, const std::string& plan_file) {
  const Plan plan = launch::load_plan_in_time(plan_file);
  const auto nodes = expand_node_names(environment.get("SLURM_JOB_NODELIST").value_or(""));
  if (nodes.size() != plan.chosen.nodes)  // somebody has changed the job while it was pending
    throw Error(
        fmt::format("ranks go where mpirun puts them: the plan is for {} nodes, and the job "
                    "has {}",
                    plan.chosen.nodes, nodes.size()));
  // By it mpirun knows how many ranks each node takes. From 23.02 on Slurm spreads them evenly
  // there.
  environment.set("SLURM_TASKS_PER_NODE", submission::text_of_tasks_per_node(plan.ranks_by_node()));
  const std::string job = environment.get("SLURM_JOB_ID").value_or("0");
  const std::vector<std::string> texts =
      environment.get(kSharedNodesWord)
          ? std::vector(plan.companions.size() + 2, openmpi_rankfile_of_shared_nodes(plan, nodes))
          : rankfiles_of(plan, plan_file, nodes);
  launch::with_files(plan_file, [&] {
    launch::remove_old_rankfiles(fs::path(plan_file).parent_path());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      files::make_way(launch::rankfile_beside(plan_file, job, i));
      files::AtomicFile file(launch::rankfile_beside(plan_file, job, i));
      file.write(texts[i]);
      file.commit();
    }
  });
  environment.set(kMpirunRankfileWord, launch::rankfile_beside(plan_file, job).string());
  environment.set(kMpirunRanksWord, std::to_string(plan.ranks));
}

// The members of an array do the same thing, so the first one is measured for all.
bool another_member_is_measured(const TaskEnvironment& environment) {
  const auto member = environment.get("SLURM_ARRAY_TASK_ID");
  return member && !environment.get(kPackedRunWord) &&
         member != environment.get("SLURM_ARRAY_TASK_MIN").value_or(*member);
}

// Programs of a script are no ranks, and get no library: its mpirun passes on what ranks need.
void prepare_script(const TaskEnvironment& environment) {
  const auto plan = environment.get(kPlanVariable);
  const bool acts = plan || environment.get(kRecorderVariable) || environment.get(kOutcomeWord);
  if (!acts || !environment.get(kMpirunHelperWord)) return;  // left as submitted
  // sbatch sets it by what its user asked for. The script's sruns would compare it with the packed
  // job's nodes, and warn.
  if (plan) environment.unset("SLURM_NTASKS_PER_NODE");
  std::string silent;
  if (another_member_is_measured(environment)) environment.unset(kRecorderVariable);
  if (environment.get(kRecorderVariable))
    silent =
        launch::why_store_is_silent(environment.get(kStoreVariable), environment.get(kOutcomeWord));
  if (!silent.empty())
    environment.unset(kRecorderVariable);  // its mpirun passes it on, its sruns too
  offer_component(environment);
  if (plan) write_rankfiles(environment, *plan);
  if (const auto recorder = environment.get(kRecorderVariable))
    offer_agent_to_script(environment, *recorder);
  if (!silent.empty() && !environment.get(kPackedRunWord)) throw Error("not measured: " + silent);
}

std::string program_name(const std::string& command) {
  std::error_code unknown;
  const fs::path program = fs::canonical(command, unknown);
  return unknown ? fs::path(command).filename() : program.filename();
}

// Where mpirun runs outside of the job's script, after salloc, it has no component of ours.
void prepare_daemon(const TaskEnvironment& environment, const std::string& recorder) {
  if (environment.get(preload::kForkAgentVariable)) return;
  const preload::ForkAgent agent =
      preload::fork_agent({}, environment.get("LD_PRELOAD").value_or(""), recorder);
  if (agent.words.empty()) throw Error("not measured: " + agent.why_not);
  environment.set(preload::kForkAgentVariable, agent.words);
}

// Only of a rank that gets the recorder. What its runtime does not know of is set all the same: it
// is not known which one it loads. The task's binding is that of this process.
void act_on_threads_of_rank(spank_t spank, const TaskEnvironment& environment,
                            const std::string& recorder) {
  std::vector<std::string> values;
  values.reserve(32);  // more than is asked for: its pointers stay good
  const auto variable = [&](const char* name) -> const char* {
    auto value = environment.get(name);
    return value ? values.emplace_back(std::move(*value)).c_str() : nullptr;
  };
  runtime::RankThreads threads = runtime::rank_threads(variable);
  if (!threads.wanted) return;
  threads.ranks_here = spank_item_of<std::uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT, "tasks here");
  if (const runtime::WaitPolicy policy = runtime::wait_policy_for(threads);
      policy.spins != nullptr) {
    environment.set(runtime::kSpinVariable, policy.spins);
    environment.set(runtime::kBlockTimeVariable, policy.block_milliseconds);
  }
  const char* const order = variable(kChooseVariable);
  if (order == nullptr || *order == '\0') return;
  // A launcher of ranks would hand its connection to all of them; libhuddle_exec.so gives each its
  // own.
  if (submission::starts_a_launcher({command_of(spank).front()})) return;
  const preload::StartedChooser chooser = preload::wants_chooser(variable, threads)
                                              ? preload::start_chooser(recorder, order)
                                              : preload::StartedChooser();
  std::array<char, preload::kRoomForChooser> connection{};
  preload::write_connection(chooser, connection);
  environment.set(kChooserVariable, connection.data());
}

// Open MPI's programs are no ranks, and start ranks by an agent.
// True if the task is a rank that got the recorder.
bool prepare_rank(spank_t spank, const TaskEnvironment& environment, const std::string& recorder) {
  const std::vector<std::string> words = command_of(spank);
  const std::string name = program_name(words.front());
  constexpr std::array<std::string_view, 5> kOpenMpi = {"orted", "orterun", "prted", "prte",
                                                        "prterun"};
  if (name == "orted") prepare_daemon(environment, recorder);
  if (name == "prted") static_cast<void>(offer_agent(environment, recorder));  // mpirun's, mostly
  return !among(kOpenMpi, name) && preload_recorder(spank, environment, recorder, words);
}

}  // namespace

void hide_distribution(spank_t spank) {
  constexpr const char* kDistribution = "SLURM_DISTRIBUTION";
  const TaskEnvironment environment(spank);
  const bool laid_out = environment.get(kPlanVariable) || environment.get(kGroupingWord);
  if (laid_out && environment.get(kDistribution) == "arbitrary") environment.unset(kDistribution);
}

void prepare_task(spank_t spank, const submission::Settings& settings) {
  const TaskEnvironment environment(spank);
  const StepOnNode here = step_on_node(spank, settings);
  if (const std::string& why = here.why_switched_off(); !why.empty()) {
    if (spank_item_of<std::uint32_t>(spank, S_TASK_GLOBAL_ID, "task's number") == 0)
      say("{}: this step runs as Slurm places it, unmeasured", why);
    return;
  }
  const auto step = spank_item_of<std::uint32_t>(spank, S_JOB_STEPID, "step's number");
  if (step == SLURM_EXTERN_CONT) return;
  auto recorder = environment.get(kRecorderVariable);
  std::exception_ptr not_measured;
  if (environment.get(kThreadsVariable) && !here.allows_threads())
    environment.unset(kThreadsVariable);
  if (recorder) offer_spool(environment);
  if (recorder && !why_no_courier().empty()) {
    environment.unset(kRecorderVariable);
    recorder.reset();
    if (first_on_node(spank) && !environment.get(kPackedRunWord))
      not_measured = std::make_exception_ptr(Error("not measured: " + why_no_courier()));
  }
  if (step == SLURM_BATCH_SCRIPT || step == SLURM_INTERACTIVE_STEP) {
    prepare_script(environment);
    if (not_measured) std::rethrow_exception(not_measured);
    return;
  }
  bool recorded = false;
  try {
    if (recorder) recorded = prepare_rank(spank, environment, *recorder);
  } catch (const Error&) {  // the other ranks of the node bind themselves: so must this one
    if (!environment.get(kPackedRunWord)) not_measured = std::current_exception();
  }
  if (environment.get(kStepPlanWord) && here.binds_ranks()) bind(spank, here);
  if (recorded) act_on_threads_of_rank(spank, environment, *recorder);
  if (not_measured) std::rethrow_exception(not_measured);
}

}  // namespace huddle::plugin
