#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::hardware {

/// A core of this machine.
struct PhysicalCore {
  /// The kernel's number of its package.
  std::uint32_t package = 0;
  /// Names its die among all dies of the machine; dies are what a machine document calls so (see
  /// docs/formats/machine.md): the kernel's dies, else the L3 groups, else the L2 groups, else the
  /// NUMA nodes, whichever splits a package; else the package.
  std::uint32_t die = 0;
  /// The kernel's number of its NUMA node; 0 if the kernel reports none.
  std::uint32_t numa_node = 0;
  /// Its PUs that are online.
  PuSet pus;

  friend bool operator==(const PhysicalCore&, const PhysicalCore&) = default;
};

/// The cores that are online, ordered by their first PU, as Linux shows them in devices/system/cpu
/// below `sysfs`. This is for processes that hwloc is to be kept out of: the recorder in a user's
/// program and the plugin in Slurm's. Empty if Linux does not report all that is needed. Throws
/// std::bad_alloc only.
std::vector<PhysicalCore> physical_cores(const std::filesystem::path& sysfs = "/sys");

}  // namespace huddle::hardware
