#include "spank_plugin/submission/asked/node_sharing.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "spank_plugin/submission/asked/slurm_texts.hpp"

namespace huddle::submission {
namespace {

// On each of the nodes that were asked for.
std::uint32_t ranks_of_a_node(const PlanRequest& request) {
  const std::uint32_t nodes = std::max(request.nodes.value_or(1), 1U);
  return std::max((request.ranks + nodes - 1) / nodes, 1U);
}

// The part that each rank may use of the memory that the user asks for, on the nodes that were
// asked for; 0 if that is not said.
Bytes memory_per_rank(const SlurmClient& slurm, const PlanRequest& request) {
  if (slurm.is_set("mem-per-cpu")) {
    const Bytes by_cpu = parse_memory(slurm.get("mem-per-cpu")).value_or(Bytes{});
    return {by_cpu.value * request.cores_per_rank};
  }
  if (!slurm.is_set("mem")) return {};
  return {parse_memory(slurm.get("mem")).value_or(Bytes{}).value / ranks_of_a_node(request)};
}

// Where nodes are whole, all of their memory is there for the job, unless memory is charged.
void read_memory(const SlurmClient& slurm, const NodeTerms& terms, SubmittedJob& job) {
  job.request.memory_per_rank = memory_per_rank(slurm, job.request);
  const bool by_node = slurm.is_set("mem");
  const bool by_cpu = slurm.is_set("mem-per-cpu");
  if (!job.request.shares_nodes && !terms.charges_memory) {
    job.packed_memory.all = by_node || by_cpu || terms.memory != Bytes{};
  } else if (by_node) {
    job.packed_memory.of_rank = job.request.memory_per_rank;
  } else if (!by_cpu) {
    job.packed_memory.of_rank = {terms.memory.value / ranks_of_a_node(job.request)};
  }
}

// Whole nodes may have more CPUs than the job asks for. Where those would be charged, it shares
// nodes, and has the cores that it asks for on fewer of them.
bool is_to_share_nodes(const SlurmClient& slurm, const Policy& policy, const NodeTerms& terms) {
  if (policy.limits.higher_charge.value_or(false) || terms.whole_nodes) return false;
  if (!slurm.is_set("exclusive")) return true;
  const std::string who = slurm.get("exclusive");
  return who == "user" || who == "mcs";
}

}  // namespace

void agree_on_nodes(const SlurmClient& slurm, const Policy& policy, SubmittedJob& job) {
  const NodeTerms terms = slurm.node_terms();
  job.request.shares_nodes = is_to_share_nodes(slurm, policy, terms);
  read_memory(slurm, terms, job);
}

}  // namespace huddle::submission
