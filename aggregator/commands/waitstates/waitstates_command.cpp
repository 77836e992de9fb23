// huddle waitstates: where the ranks of a traced program wait, and what that costs.

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/file_kind.hpp"
#include "aggregator/commands/common/recovered_trace.hpp"
#include "aggregator/commands/waitstates/waitstates_run.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

unsigned long number_in(const char* variable) {
  const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
}

// Throws UsageError if a launcher started this process as one of several: each of them would do the
// same work, and write the same files. Not by the number of tasks of a job (SLURM_NTASKS): a batch
// script is one process.
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

}  // namespace

void add_waitstates_command(cli::App& app) {
  auto options = std::make_shared<WaitstatesOptions>();
  cli::App* command = app.add_subcommand(
      "waitstates",
      "Say where the ranks of a traced program wait for each other, and what energy that costs");
  declare_waitstates_options(*command, *options);
  command->add_example("huddle waitstates trace");
  command->add_example("huddle waitstates trace --html page.html --critical-path");
  command->add_example("huddle waitstates before after", "what changed between two runs");
  command->callback([options] {
    expect_single_process();
    check_waitstates_options(*options);  // before traces are recovered
    for (std::string& trace : options->traces) {
      trace = trace_to_open(trace);
      expect_kind(trace, {FileKind::kTrace},
                  "huddle waitstates reads traces, which huddle record --trace writes");
    }
    run_waitstates(*options);
  });
}

}  // namespace huddle::cli
