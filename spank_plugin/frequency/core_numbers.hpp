#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::frequency {

/// The PUs of the cores that Slurm calls `list` ("0-3,6"), each core with all its PUs. Slurm counts
/// a node's cores by hwloc's logical numbers: package after package, and in each NUMA node after
/// NUMA node and die after die, always ordered by the first PU. The system's numbers of PUs may be
/// quite different, such as PU 1 in the second package. Throws Error if the list is none, or names
/// a core that `cores` lacks: the node is not what Slurm takes it for.
std::vector<PuSet> pus_of_slurms_cores(std::vector<hardware::PhysicalCore> cores,
                                       std::string_view list);

/// Why Slurm's numbers of cores can't be matched to this node's: cores were switched off since
/// slurmd counted them, and Linux shows nothing of those, so all behind them would have other
/// numbers. Empty if they match, as far as can be seen; hyperthreads that are switched off change
/// nothing.
std::string why_cores_have_other_numbers(const std::filesystem::path& sysfs = "/sys");

}  // namespace huddle::frequency
