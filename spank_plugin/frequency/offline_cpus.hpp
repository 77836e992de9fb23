#pragma once

#include <filesystem>
#include <string>

namespace huddle {

/// Why Slurm's numbers of cores can't be matched to this node's: cores were switched off since
/// slurmd counted them, and Linux tells nothing of those, so all behind them would have other
/// numbers. Empty if nothing speaks against it; hyperthreads that are switched off don't.
std::string why_cores_have_other_numbers(const std::filesystem::path& sysfs = "/sys");

}  // namespace huddle
