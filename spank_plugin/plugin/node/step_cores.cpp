#include "spank_plugin/plugin/node/step_cores.hpp"

#include <fmt/format.h>

#include <string>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/core_numbers.hpp"

namespace huddle::plugin {

std::vector<PuSet> cores_of(spank_t spank, spank_item which,
                            const std::vector<hardware::PhysicalCore>& node) {
  const auto* list = spank_item_of<const char*>(spank, which, "cores of the step");
  return frequency::pus_of_slurms_cores(node, list == nullptr ? "" : list);
}

PuSet union_of(const std::vector<PuSet>& sets) {
  PuSet all;
  for (const PuSet& set : sets)
    for (const std::uint32_t pu : set.members()) all.add(pu);
  return all;
}

// Slurm counts threads as cores where slurm.conf
// gives a node nothing but CPUs=: then it has fewer CPUs for a core than Linux. (So it has for the
// script of a job with --threads-per-core=1. Nothing that root may believe distinguishes these.)
void check_core_numbers(spank_t spank, const std::vector<PuSet>& cores) {
  if (const std::string why = frequency::why_cores_have_other_numbers(); !why.empty())
    throw Error(why);
  const std::size_t cpus =
      spank_item_of<std::uint16_t>(spank, S_JOB_NCPUS, "number of CPUs of the step");
  const PuSet pus = union_of(cores);
  if (pus.size() != cpus)
    throw Error(
        fmt::format("Slurm counts {} CPU(s) on {} core(s) where Linux has {}, by "
                    "--threads-per-core or by this node's CPUs in slurm.conf: it may mean other "
                    "cores",
                    cpus, cores.size(), pus.size()));
}

}  // namespace huddle::plugin
