#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "aggregator/operations/doctor/node_report.hpp"
#include "aggregator/operations/doctor/plugin_check.hpp"
#include "profiles/formats/policy/policy.hpp"

namespace huddle::doctor {

/// The facts that an examination of the machine it runs on starts from.
struct NodeQuestion {
  /// The machine's name in the report.
  std::string node;
  /// True if it is one that jobs run on: then its topology must be that of the machine document.
  bool runs_jobs = false;
  /// The site's policy, unless the plugin says which it reads.
  std::filesystem::path policy_file;
  /// True if plugstack.conf or the user named it; if not, it need not exist.
  bool policy_named = false;
  /// The places where Slurm looks for plugins; absent if there is no Slurm.
  std::optional<PluginPlaces> plugin_places;
  /// True if this process is a task whose plugin was asked for a report on itself.
  bool in_task = false;
  /// The plugin's report on itself; absent if it reported nothing.
  std::optional<PluginFacts> plugin;
  /// Name of a file that was put into the directory of profiles elsewhere, to see whether it shows
  /// here; empty if there is none.
  std::string probe;
  std::filesystem::path sysfs = "/sys";
  std::filesystem::path proc = "/proc";
};

/// Examines this machine. Changes nothing, but for a file in the directory of profiles that it
/// removes at once. Throws std::bad_alloc only: what fails is a finding.
NodeReport examine_node(const NodeQuestion& question);

}  // namespace huddle::doctor
