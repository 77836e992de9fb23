#include "spank_plugin/submission/asked/job_name.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/launched_command.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/submission/asked/batch_script.hpp"

namespace huddle {

bool is_usual_name(std::string_view name) {
  constexpr std::array<std::string_view, 16> kNames = {
      "wrap",    "sbatch", "interactive", "bash", "sh",      "zsh",    "env",     "python",
      "python3", "perl",   "julia",       "time", "numactl", "mpirun", "mpiexec", "srun"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string name_of_program(const SlurmClient& slurm, const std::string& script) {
  const std::vector<std::string> words =
      script.empty() ? slurm.program() : launched_in_script(script);
  if (words.empty()) return {};
  try {
    return text_with_files(words.front(), [&] {
      return launched_by(words, slurm.variable("PATH").value_or("")).name();
    });
  } catch (const Error&) {  // then the job's own name must do
    return {};
  }
}

}  // namespace huddle
