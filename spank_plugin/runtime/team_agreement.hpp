#pragma once

#include <filesystem>
#include <string>

#include "profiles/recorder/mpi/channel.hpp"
#include "spank_plugin/runtime/packing/team_places.hpp"

namespace huddle::runtime {

/// Where the threads of this rank's teams may be packed, or why they may not.
struct TeamAgreement {
  TeamHome home;
  /// For people; empty if they may.
  std::string why_not = {};
};

/// Collective over all ranks. `own` is what this rank is bound to. Ranks of a node that share PUs
/// must not pack their teams: they would all take the same ones. The node's cores are read from
/// `sysfs`. Throws Error where MPI fails.
TeamAgreement agree_on_teams(const recorder::Channel& channel, const PuSet& own,
                             const std::filesystem::path& sysfs = "/sys");

}  // namespace huddle::runtime
