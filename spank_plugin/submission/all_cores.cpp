#include "spank_plugin/submission/all_cores.hpp"

#include <string>

#include "profiles/vocabulary/field_reader.hpp"
#include "spank_plugin/submission/asked/slurm_texts.hpp"

namespace huddle::submission {

std::optional<std::uint32_t> cpus_per_task(const SlurmClient& slurm) {
  if (slurm.is_set("cpus-per-task")) return number_in<std::uint32_t>(slurm.get("cpus-per-task"));
  return parse_tres_per_task(slurm.get(kTresPerTask)).cpus;
}

std::vector<OptionChange> changes_for_all_cores(const SlurmClient& slurm) {
  if (!cpus_per_task(slurm)) return {};
  std::vector<OptionChange> changes = {{"cpus-per-task", std::nullopt}};
  const std::string tres = slurm.get(kTresPerTask);
  if (tres.empty()) return changes;
  const std::string rest = tres_without_cpus(tres);
  changes.push_back({kTresPerTask, rest.empty() ? std::nullopt : std::optional(rest)});
  return changes;
}

void tell_cpus_per_task(SlurmClient& slurm, std::uint32_t cpus) {
  slurm.set_variable("SLURM_CPUS_PER_TASK", std::to_string(cpus));
}

}  // namespace huddle::submission
