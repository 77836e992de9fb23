#pragma once

#include <filesystem>

#include "aggregator/operations/doctor/finding.hpp"
#include "profiles/energyd/protocol/energy_answer.hpp"

namespace huddle::doctor {

/// Tries if a rank can count instructions here, and says why not.
Finding check_counters(const std::filesystem::path& sysfs, const std::filesystem::path& proc);

/// The driver and the governor of the cores' frequencies: the same for all cores? `controlled`:
/// the policy lets Huddle set frequencies, so that there must be some.
Examined check_frequencies(const std::filesystem::path& sysfs, bool controlled);

/// Finds if jobs get to know their energy: by the huddle-energyd that listens at `socket`, which
/// root asks as nobody, too, or by meters that a user can read.
Finding check_energy_meters(const std::filesystem::path& sysfs,
                            const std::filesystem::path& socket = energyd::kEnergySocket);

/// Reports the topology of this machine as hwloc sees it; a fact only if it `runs_jobs`.
Examined check_topology(bool runs_jobs);

}  // namespace huddle::doctor
