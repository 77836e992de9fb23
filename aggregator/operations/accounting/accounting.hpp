#pragma once

// Slurm's accounting of steps: asks sacct, and reads what it prints.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle::operations {

/// A step of a job of a cluster.
struct AccountedStepKey {
  std::string cluster;
  std::uint64_t job = 0;
  std::uint32_t step = 0;
  friend auto operator<=>(const AccountedStepKey&, const AccountedStepKey&) = default;
};

/// A step in Slurm's accounting.
struct AccountedStep {
  /// Job numbers come again, and a requeued job keeps its own: this tells them apart.
  std::optional<UtcTime> start;
  Seconds elapsed;
  std::uint32_t nodes = 0;
  /// ConsumedEnergyRaw as it stands: see check_energy().
  std::string energy;
};

using AccountedSteps = std::map<AccountedStepKey, AccountedStep>;

/// Adds what `text` says, the output of the sacct that ask_accounting() runs. Rows of whole jobs,
/// of steps without a number (batch, extern, interactive), and rows that are not understood are
/// passed over.
void read_accounting(std::string_view text, const std::string& cluster, AccountedSteps& steps);

/// Runs a command and gives what it printed; throws Error if it failed. Tests hand in another.
using CommandRunner = std::function<std::string(const std::vector<std::string>&)>;

/// sacct's way: at most a minute for each call.
std::string run_accounting_command(const std::vector<std::string>& command);

/// Asks Slurm's accounting for the steps of `jobs`, by cluster; many jobs in one call of sacct.
/// `progress(done, all)` counts jobs. Throws Error with sacct's own words if there is no
/// accounting.
AccountedSteps ask_accounting(const std::map<std::string, std::vector<std::uint64_t>>& jobs,
                              const CommandRunner& run,
                              const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace huddle::operations
