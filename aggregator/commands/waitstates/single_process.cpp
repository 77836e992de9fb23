#include "aggregator/commands/waitstates/single_process.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

unsigned long number_in(const char* variable) {
  const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
}

}  // namespace

// Not by the number of tasks of a job (SLURM_NTASKS): a batch script is one process.
void expect_single_process() {
  const bool in_step = std::getenv("SLURM_PROCID") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const bool is_slurms = variable[0] == 'S';
    const unsigned long processes = is_slurms && !in_step ? 0 : number_in(variable);
    if (processes > 1)
      throw UsageError(fmt::format(
          "{}={}: huddle waitstates is one process, and each of several would do all of its work: "
          "start it without mpirun or srun; with --threads it uses more cores",
          variable, processes));
  }
}

}  // namespace huddle
