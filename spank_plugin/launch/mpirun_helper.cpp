// Preloaded into the processes of a batch script whose job is packed. In Open MPI's mpirun, and
// only there, it names the plan's rankfile in the environment before mpirun reads it, unless the
// command line says otherwise. A variable in the script's own environment would do the same for
// every mpirun, and those that contradict it would fail.

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "spank_plugin/launch/job_environment.hpp"
#include "spank_plugin/launch/mpirun_command_line.hpp"

namespace huddle {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): runs before main

constexpr const char* kOpenMpiRankfile = "OMPI_MCA_orte_rankfile";

bool is_openmpi_launcher() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return false;
  const std::string_view whole(path.data(), static_cast<std::size_t>(length));
  return whole.substr(whole.rfind('/') + 1) == "orterun";
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

void name_rankfile() {
  if (!is_openmpi_launcher() || user_set_placement()) return;
  const char* rankfile = std::getenv(kMpirunRankfileVariable);
  const char* ranks = std::getenv(kMpirunRanksVariable);
  const char* tasks = std::getenv("SLURM_NTASKS");
  if (rankfile == nullptr || ranks == nullptr || tasks == nullptr) return;
  if (std::string_view(ranks) != tasks || ::access(rankfile, R_OK) != 0) return;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (mpirun_may_follow({words.begin(), words.end()}, std::strtoul(ranks, nullptr, 10))) {
    ::setenv(kOpenMpiRankfile, rankfile, 1);
    ::setenv("OMPI_MCA_rmaps_rank_file_physical", "1", 1);
  }
}

// NOLINTEND(concurrency-mt-unsafe)

[[gnu::constructor]] void on_load() {
  try {
    name_rankfile();
  } catch (...) {  // out of memory: mpirun places ranks as it would without us
  }
}

}  // namespace
}  // namespace huddle
