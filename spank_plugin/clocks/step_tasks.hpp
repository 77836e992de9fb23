#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "profiles/processes/cgroups.hpp"

namespace huddle::clocks {

/// The state of the tasks of a step, taken together.
enum class StepActivity : std::uint8_t {
  kStarting,  ///< there was none yet
  kRunning,   ///< at least one may run
  kStopped,   ///< all are stopped by a signal, or frozen: the step is suspended
  kEnded,     ///< all are gone
};

/// Watches the tasks of a slurmstepd on this node: its children. A look costs a few reads of /proc
/// while the step runs, since one task that runs is enough to know.
class StepTasks {
 public:
  /// `proc` is for tests.
  explicit StepTasks(std::uint32_t slurmstepd, std::filesystem::path proc = "/proc");

  StepActivity look();
  /// The task that was seen running last; its end is worth another look.
  [[nodiscard]] std::optional<std::uint32_t> witness() const { return witness_; }

 private:
  enum class TaskState : std::uint8_t { kGone, kRuns, kStopped };
  [[nodiscard]] TaskState state_of(std::uint32_t task) const;

  std::uint32_t slurmstepd_;
  std::filesystem::path proc_;
  processes::Cgroups cgroups_;
  std::optional<std::uint32_t> witness_;
  bool seen_ = false;
};

}  // namespace huddle::clocks
