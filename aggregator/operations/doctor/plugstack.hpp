#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace huddle::doctor {

/// A line of plugstack.conf that loads a plugin.
struct PlugstackLine {
  bool required = false;
  std::string plugin;
  std::vector<std::string> arguments;
  /// "FILE:LINE".
  std::string place;
};

/// The plugins that Slurm would load by `file`, in order; files that it includes are read, too.
/// Comments, and lines that Slurm would not understand either, are left out. Empty if the file does
/// not exist: then Slurm loads nothing. Throws SystemError if it can't be read.
std::vector<PlugstackLine> read_plugstack(const std::filesystem::path& file);

/// The first of `lines` that loads spank_huddle.so.
std::optional<PlugstackLine> find_huddle(const std::vector<PlugstackLine>& lines);

/// The file of the plugin: `line.plugin`, looked for in `plugin_directories` (Slurm's PluginDir,
/// parted by colons) if it has no directory.
std::filesystem::path plugin_file(const PlugstackLine& line, const std::string& plugin_directories);

/// Returns the file that "policy=" names among the arguments; empty if nothing does.
std::string policy_argument(const PlugstackLine& line);

/// The policy that `plugstack` (plugstack.conf) gives to the plugin; empty if it names none, or
/// can't be read.
std::string policy_in(const std::filesystem::path& plugstack);

}  // namespace huddle::doctor
