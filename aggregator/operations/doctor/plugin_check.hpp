#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "aggregator/operations/doctor/examined.hpp"
#include "aggregator/operations/doctor/plugin_facts.hpp"

namespace huddle::doctor {

/// Where Slurm finds its plugins, and which Slurm it is.
struct PluginPlaces {
  std::filesystem::path plugstack;
  /// Slurm's PluginDir: directories parted by colons.
  std::string directories;
  std::string slurm_version;
};

/// Whether Slurm would load the plugin on this machine, and whether it is the one that belongs to
/// this version of Huddle. One that is `required` is a warning: then a fault of it would stop jobs.
Examined check_plugin_file(const PluginPlaces& places);

/// Whether Slurm did load it, which it told of itself (`loaded`), and whether it is the right one;
/// if it was not loaded, why.
Examined check_loaded_plugin(const PluginPlaces& places, const std::optional<PluginFacts>& loaded);

}  // namespace huddle::doctor
