#pragma once

#include <string_view>

namespace huddle {

/// The plugin's file holds this text, then Huddle's version, kPluginMarkSlurm, the version of Slurm
/// that it was built for, and a zero byte: so `huddle doctor` can tell what a file is without
/// loading it.
inline constexpr std::string_view kPluginMark = "@(#)spank_huddle ";
inline constexpr std::string_view kPluginMarkSlurm = " for Slurm ";

/// A task that has this variable is told about the plugin that started it...
inline constexpr const char* kDoctorVariable = "HUDDLE_DOCTOR";
/// ...by this one: lines of NAME=VALUE, the names being version, built_for, running_in, file and
/// policy.
inline constexpr const char* kSelfReportVariable = "HUDDLE_PLUGIN";

}  // namespace huddle
