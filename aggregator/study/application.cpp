#include "aggregator/study/application.hpp"

#include <array>

#include "profiles/vocabulary/text.hpp"

namespace huddle::study {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// True for programs that run some other one, or a script, whose name nobody recorded.
bool is_interpreter(std::string_view program) {
  constexpr auto kInterpreters = std::to_array<std::string_view>(
      {"",     "apptainer", "ch-run",  "java",      "julia",       "matlab",
       "nice", "numactl",   "octave",  "perf",      "perl",        "podman",
       "R",    "Rscript",   "ruby",    "shifter",   "singularity", "taskset",
       "time", "timeout",   "wrapper", "wrapper.sh"});
  return among(kInterpreters, program) || program.starts_with("python");
}

}  // namespace

void name_application(const DumpedJob& job, std::string& name) {
  if (!is_interpreter(job.steps.program)) {
    name = job.steps.program;
    return;
  }
  name.clear();
  for (const char c : job.name) {
    if (!is_digit(c))
      name += c;
    else if (name.empty() || name.back() != '#')
      name += '#';
  }
  name += " of ";
  name += job.user;
}

}  // namespace huddle::study
