#pragma once

#include <string_view>

namespace huddle {

/// The plugin's file holds this text, then Huddle's version, kPluginMarkSlurm, the version of Slurm
/// that it was built for, and a zero byte, so that `huddle doctor` can see what a file is without
/// loading it.
inline constexpr std::string_view kPluginMark = "@(#)spank_huddle ";
inline constexpr std::string_view kPluginMarkSlurm = " for Slurm ";

/// Words of the plugin in front of a symbol's name that a Slurm does not have.
inline constexpr std::string_view kMissingSymbolMark = "this Slurm lacks ";

}  // namespace huddle
