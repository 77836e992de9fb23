#include "spank_plugin/submission/job_layout.hpp"

#include <cstdint>
#include <string>

namespace huddle {
namespace {

bool is_salloc(const SlurmClient& slurm, const SubmittedJob& job) {
  if (job.by != Submitter::kAllocator) return false;
  const auto script = slurm.script();
  return script && script->empty();
}

}  // namespace

std::vector<OptionChange> layout_changes(const SlurmClient& slurm, const Decision& decision,
                                         const SubmittedJob& job) {
  const std::uint32_t per_node = decision.ranks_per_node;
  std::vector<OptionChange> changes = {{"nodes", std::to_string(decision.nodes)},
                                       {"ntasks", std::to_string(job.request.ranks)}};
  // With --ntasks-per-node salloc tells its steps that they have that many tasks on each node,
  // though
  // --ntasks says that there are fewer.
  const bool is_even = std::uint64_t{decision.nodes} * per_node == job.request.ranks;
  if (is_even || !is_salloc(slurm, job)) {
    changes.push_back({"ntasks-per-node", std::to_string(per_node)});
  } else {
    changes.push_back({"ntasks-per-node", std::nullopt});
    changes.push_back({"mincpus", std::to_string(per_node * job.request.cores_per_rank)});
  }
  changes.push_back({"exclusive", ""});
  if (job.takes_all_memory) {
    changes.push_back({"mem-per-cpu", std::nullopt});
    changes.push_back({"mem", "0"});
  }
  return changes;
}

}  // namespace huddle
