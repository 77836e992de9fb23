#pragma once

// The way in which the threads of an OpenMP program's teams wait for each other, which their
// runtime reads from the environment when it is loaded: only whoever starts a program can decide
// it. Used by the task hook and, between fork() and exec() in other people's programs, by
// libhuddle_exec.so: nothing here allocates, and all that is called is async-signal-safe.

#include <array>
#include <cstdint>
#include <string_view>

#include "spank_plugin/runtime/wait_policy/cpu_use.hpp"

namespace huddle::runtime {

/// Variables by which a user says how threads wait, in libgomp, libomp and Intel's runtime. Where
/// one of them is set, Huddle sets none.
inline constexpr std::array<const char*, 4> kWaitVariables = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT",
                                                              "KMP_BLOCKTIME", "KMP_LIBRARY"};

/// Variables that Huddle sets: for libgomp how often a waiting thread looks before it sleeps, and
/// for libomp after how many milliseconds it sleeps.
inline constexpr const char* kSpinVariable = "GOMP_SPINCOUNT";
inline constexpr const char* kBlockTimeVariable = "KMP_BLOCKTIME";

/// Facts about a rank's threads when it is started.
struct RankThreads {
  /// True if HUDDLE_THREADS asks for it, and whether it asks for threads that may be packed.
  bool wanted = false;
  bool may_be_packed = false;
  /// True if the user has set one of kWaitVariables.
  bool chosen_by_user = false;
  /// The size of its teams, OMP_NUM_THREADS; 0: not said, so one for each CPU that it may use.
  std::uint32_t team = 0;
  /// Ranks of the same program on this node; 0: unknown.
  std::uint32_t ranks_here = 0;
  /// CPUs that the rank may run on, and those of this node that its job has; 0: unknown.
  std::uint32_t cpus = 0;
  std::uint32_t cpus_here = 0;
  /// The other uses of the node.
  CpuUse use;
};

/// Values of kSpinVariable and kBlockTimeVariable; null pointers where neither is to be set.
struct WaitPolicy {
  const char* spins = nullptr;
  const char* block_milliseconds = nullptr;
};

/// The answer to whether the threads of a rank have a CPU each, for as long as the rank runs.
enum class CpuSharing : std::uint8_t {
  kUnknown,
  kOwn,     ///< there is room for all of them beside what else runs
  kShared,  ///< there is not: they wait for each other, or for others
};

/// True if threads of the job share CPUs: a team has more threads than its rank has CPUs, or all
/// ranks of the node together have more than there are for them.
bool is_crowded(const RankThreads& threads);

/// kShared where is_crowded(), where a control group's limit is less than a CPU for each thread of
/// the node's ranks, and where the job has all CPUs of the node, and other work has kept it full
/// for minutes and does still. kOwn where neither is so by any figure, and no hypervisor takes CPUs
/// away. Figures that disagree, as they do behind another step of the same job, a full node of
/// which the job has a part, and what can't be read make it unknown.
CpuSharing cpu_sharing(const RankThreads& threads);

/// Where threads are to be packed onto fewer CPUs, who waits sleeps after 300 looks (some 10 us),
/// in libomp at once. Where they share CPUs it sleeps after one look: it must leave its CPU to whom
/// it waits for. Where each has a CPU of its own, it sleeps after 50000 looks (a millisecond or
/// more), in libomp after 2 ms: waking it takes some 35 us, which is at most 3 % of the wait
/// before. Where it is unknown, nothing is set: left to themselves libgomp's threads look 300000
/// times and libomp's for 200 ms, which may be wrong, but is not Huddle's doing. Measured:
/// docs/decisions/0069-how-threads-wait.md.
WaitPolicy wait_policy_for(const RankThreads& threads);

/// True if `policy` can be what wait_policy_for() gave: then it was Huddle that set these values.
bool is_from_huddle(std::string_view spins, std::string_view block_milliseconds);

/// `text` up to its first comma as a number, as in OMP_NUM_THREADS; 0 if it is none.
std::uint32_t first_number(std::string_view text);

/// CPUs that this thread may run on, and that the node's first process may; 0 if the kernel does
/// not say.
std::uint32_t own_cpus();
std::uint32_t cpus_of_node();

/// The facts that `variable`, a function that returns a variable's value as a const char* or a null
/// pointer, says of a rank. `ranks_here` and the CPUs are those that Open MPI's mpirun, MPICH's
/// mpiexec and Slurm put into a rank's environment, and this thread's own.
template <class Variable>
RankThreads rank_threads(const Variable& variable) {
  const auto text = [&](const char* name) {
    const char* const value = variable(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  RankThreads threads;
  const std::string_view wish = text("HUDDLE_THREADS");
  threads.may_be_packed = wish == "pack";
  threads.wanted = wish == "auto" || threads.may_be_packed;
  for (const char* name : kWaitVariables)
    if (variable(name) != nullptr) threads.chosen_by_user = true;
  threads.team = first_number(text("OMP_NUM_THREADS"));
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"})
    if (threads.ranks_here == 0) threads.ranks_here = first_number(text(name));
  threads.cpus = own_cpus();
  threads.cpus_here = cpus_of_node();
  if (const std::uint32_t given = first_number(text("SLURM_CPUS_ON_NODE"));
      given > 0 && (threads.cpus_here == 0 || given < threads.cpus_here))
    threads.cpus_here = given;
  if (threads.wanted && !threads.chosen_by_user) threads.use = cpu_use();
  return threads;
}

}  // namespace huddle::runtime
