#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/processes/process_identity.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/frequency/frequency_reconciler.hpp"
#include "spank_plugin/keeper/keep_order.hpp"

namespace huddle::keeper {

/// The keeper of a step's clocks (`huddle_clocks keep`), as the step's slurmstepd has it.
class KeeperProcess {
 public:
  /// Starts it (`program` is huddle_clocks) and waits until ranks could connect; it can write to no
  /// clock yet. Throws Error.
  KeeperProcess(const std::filesystem::path& program, const KeepOrder& order);

  /// For the claim, before there is an envelope.
  [[nodiscard]] const processes::ProcessIdentity& identity() const { return process_.identity(); }
  /// From now on it may write to these clocks, if it does not throw. Precondition: the journal has
  /// the claim with this keeper. Throws Error; then it must be ended.
  void hand_over(const processes::ProcessIdentity& watcher,
                 const std::vector<frequency::MovedClock>& clocks);
  [[nodiscard]] const std::string& socket() const { return socket_; }

  /// Lets it end, and waits for that, at most 200 ms; after that it is killed.
  void end() noexcept;

 private:
  std::string socket_;
  detached::DetachedProcess process_;
};

}  // namespace huddle::keeper
