#pragma once

// Slurm's accounting of steps: asks sacct, and reads what it prints.

#include <chrono>
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

/// The jobs of a cluster are charged for by the hour.
struct AccountedJobKey {
  std::string cluster;
  std::uint64_t job = 0;
  friend auto operator<=>(const AccountedJobKey&, const AccountedJobKey&) = default;
};

struct Accounting {
  std::map<AccountedStepKey, AccountedStep> steps;
  /// The resources of each job, weighted as its partition charges them (TRESBillingWeights; CPUs
  /// where there are no weights). Without jobs of which Slurm does not say it.
  std::map<AccountedJobKey, double> billing;
  /// The partition of each job; of one that never ran, all that it might have run in.
  std::map<AccountedJobKey, std::string> partitions;
};

/// Adds what `text` says, the output of the sacct that ask_accounting() runs. Rows of steps
/// without a number (batch, extern, interactive), and rows that are not understood are passed over.
void read_accounting(std::string_view text, const std::string& cluster, Accounting& accounting);

/// Runs a command and gives what it printed; throws Error if it failed. Tests hand in another.
using CommandRunner = std::function<std::string(const std::vector<std::string>&)>;

/// sacct's way: at most `limit` for each call. Where slurmdbd is away, sacct tries for long.
std::string run_accounting_command(const std::vector<std::string>& command,
                                   std::chrono::seconds limit = std::chrono::seconds(60));

/// Asks Slurm's accounting for `jobs` and their steps, by cluster; many jobs in one call of sacct.
/// `progress(done, all)` counts jobs. Throws Error with sacct's own words if there is no
/// accounting.
Accounting ask_accounting(const std::map<std::string, std::vector<std::uint64_t>>& jobs,
                          const CommandRunner& run,
                          const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace huddle::operations
