#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/operations/doctor/finding.hpp"

namespace huddle::doctor {

/// Facts about a plugin: from its file (versions only), or from itself as it runs.
struct PluginFacts {
  /// Version of Huddle, such as "0.1.0".
  std::string version;
  /// The version of Slurm that it was built for, as major.minor.micro.
  std::string built_for;
  /// The version of Slurm that runs it; empty if it does not run.
  std::string running_in;
  std::filesystem::path file;
  /// The policy file that it reads; empty if it does not run.
  std::string policy;

  friend bool operator==(const PluginFacts&, const PluginFacts&) = default;
};

/// Finds the mark in a plugin's file (kPluginMark in
/// profiles/vocabulary/plugin_mark.hpp) without loading it. Nothing if there is none. Throws
/// SystemError if the file can't be read.
std::optional<PluginFacts> read_plugin_file(const std::filesystem::path& file);

/// Takes apart what the plugin puts into a task's HUDDLE_PLUGIN when it is asked for it there:
/// lines of NAME=VALUE. Unknown names are left out.
PluginFacts parse_self_report(std::string_view text);

/// True if a plugin built for one version of Slurm is loaded by another: Slurm compares major and
/// minor.
bool slurm_versions_fit(std::string_view built_for, std::string_view running);

/// Where Slurm finds its plugins, and which Slurm it is.
struct PluginPlaces {
  std::filesystem::path plugstack;
  /// Slurm's PluginDir: directories parted by colons.
  std::string directories;
  std::string slurm_version;
};

/// Checks if Slurm would load the plugin on this machine, and if it is the one that belongs to this
/// version of Huddle. One that is `required` is a warning: then a fault of it would stop jobs.
Examined check_plugin_file(const PluginPlaces& places);

/// Checks if Slurm did load it, by its own report (`loaded`), and if it is the right one; if it was
/// not loaded, says why.
Examined check_loaded_plugin(const PluginPlaces& places, const std::optional<PluginFacts>& loaded);

/// Checks if Slurm's programs have the functions that the plugin takes from them without a header,
/// by what the plugin printed in them (`said`) when it was asked for them (kSelfReportVariable).
Finding check_symbols(std::string_view said);

}  // namespace huddle::doctor
