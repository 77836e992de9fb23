#pragma once

// The steps of huddle setup: it asks Slurm, makes a store and writes a policy.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/commands/setup/power_saving.hpp"

namespace huddle::cli {

/// A node as Slurm is configured.
struct SlurmNode {
  std::string name;
  std::uint32_t packages = 0;
  std::uint32_t cores_per_package = 0;
};

/// The site, as Slurm says.
struct SlurmSite {
  /// Empty if Slurm does not answer.
  std::string cluster;
  std::vector<SlurmNode> nodes;
  PowerSaving power_saving;
};

/// Takes apart lines of "NAME PACKAGES CORES", as sinfo prints them; others, and names that were
/// there already, are left out.
std::vector<SlurmNode> read_nodes(std::string_view lines);

/// Asks scontrol and sinfo, at most 10 s each.
SlurmSite ask_slurm_for_nodes();

/// The reason why that can't be a site's directory of profiles as it is: a link, no directory, or
/// one that belongs to neither root nor this user, who could lead it elsewhere. Empty if it can, or
/// if nothing is there.
std::string why_no_store(const std::filesystem::path& directory);

/// Makes the directory of profiles, in a directory that is there, for all users: mode 1777. Whoever
/// may write to the latter can't make it change anything else: it is made, looked at and opened to
/// all by descriptors. Throws SystemError, and Error if something else took its place meanwhile.
void make_store_directory(const std::filesystem::path& directory);

/// The first huddle.toml of a site, beside what is the same for all.
struct FirstPolicy {
  std::filesystem::path machine;
  /// Root of the profiles; empty: each user's home.
  std::string store;
  /// Where a model is or will be.
  std::filesystem::path model;
  bool has_model = false;
};

/// huddle.toml, with comments for who looks after it.
std::string policy_text(const FirstPolicy& policy);

}  // namespace huddle::cli
