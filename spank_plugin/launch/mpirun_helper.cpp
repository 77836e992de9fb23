// Preloaded into the processes of a batch script whose job is packed or measured; in an mpirun, and
// only there, it does something. It names the plan's rankfile to Open MPI in the environment before
// mpirun reads it, unless the command line says otherwise: a variable in the script's own
// environment would do the same for every mpirun, and those that contradict it would fail. And it
// records what becomes of the ranks.

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/launch/mpirun_command_line.hpp"
#include "spank_plugin/launch/outcome_record.hpp"

namespace huddle {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): runs before main

constexpr const char* kOpenMpiRankfile = "OMPI_MCA_orte_rankfile";

std::string name_of_this_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string_view whole(path.data(), static_cast<std::size_t>(length));
  return std::string(whole.substr(whole.rfind('/') + 1));
}

std::vector<std::string> words_of_this_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

bool user_set_placement() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    for (const std::string_view prefix :
         {"OMPI_MCA_rmaps_", "OMPI_MCA_orte_rankfile", "OMPI_MCA_orte_default_hostfile",
          "OMPI_MCA_hwloc_base_binding"})
      if (variable.starts_with(prefix)) return true;
  }
  return false;
}

// Whether this mpirun follows the plan.
bool name_rankfile(const std::vector<std::string>& words) {
  if (user_set_placement()) return false;
  const char* rankfile = std::getenv(kMpirunRankfileVariable);
  const char* ranks = std::getenv(kMpirunRanksVariable);
  const char* tasks = std::getenv("SLURM_NTASKS");
  if (rankfile == nullptr || ranks == nullptr || tasks == nullptr) return false;
  if (std::string_view(ranks) != tasks || ::access(rankfile, R_OK) != 0) return false;
  if (!mpirun_may_follow({words.begin(), words.end()}, std::strtoul(ranks, nullptr, 10)))
    return false;
  ::setenv(kOpenMpiRankfile, rankfile, 1);
  ::setenv("OMPI_MCA_rmaps_rank_file_physical", "1", 1);
  return true;
}

// MPICH's mpiexec can be given hosts, but not which core each rank gets.
void report_own_order() {
  constexpr std::string_view kLine =
      "huddle: MPICH's mpiexec starts ranks in its own order, not as planned: srun would follow "
      "the plan\n";
  if (std::getenv(kPlanVariable) == nullptr) return;
  // A line that can't be written is no reason to do anything else.
  static_cast<void>(!::write(STDERR_FILENO, kLine.data(), kLine.size()));
}

void record(const std::vector<std::string>& words, bool follows_plan) {
  std::optional<Outcome> outcome = promised_outcome();
  if (!outcome || !mpirun_starts({words.begin(), words.end()}, outcome->ranks)) return;
  outcome->run = run_of_this_job();
  if (outcome->run->job == 0 || outcome->run->nodes == 0) return;
  const char* plan = std::getenv(kPlanVariable);
  if (follows_plan && plan != nullptr) outcome->plan_file = plan;
  if (outcome->treatment == Treatment::kPacked && !follows_plan) {
    outcome->treatment = Treatment::kLeft;
    outcome->reason = "mpirun placed its ranks itself";
  }
  begin_record(std::move(*outcome));
}

// NOLINTEND(concurrency-mt-unsafe)

[[gnu::constructor]] void on_load() {
  try {
    const std::string program = name_of_this_program();
    const bool open_mpi = program == "orterun";
    if (!open_mpi && program != "mpiexec.hydra") return;
    const std::vector<std::string> words = words_of_this_command();
    if (!open_mpi) report_own_order();
    record(words, open_mpi && name_rankfile(words));
  } catch (...) {  // mpirun does what it would do without us
  }
}

}  // namespace
}  // namespace huddle
