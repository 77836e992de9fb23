#pragma once

// Busy cores of this node and their clocks, which explain its power.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "profiles/formats/observations/power_observations.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"

namespace huddle::power {

/// Looks at the kernel's counts of busy time, and at clocks. For one thread.
class CoreActivity {
 public:
  /// `root`: below which /proc and /sys are looked at, for trials.
  explicit CoreActivity(std::filesystem::path root = "/");

  /// Returns the parts that were in use since the last look. Nothing the first time, and where that
  /// can't be said in one word: a core was busy for a part of the time only (more than 5 %, and
  /// less than 95 %), or busy cores had clocks that differ by more than 10 %. A core is as busy as
  /// the busiest of its PUs. Clocks are in steps of 50 MHz, and only a few of the busy cores' are
  /// read: with some drivers that interrupts the core.
  std::optional<Occupation> look();

  /// All of the node.
  [[nodiscard]] const Occupation& whole() const { return whole_; }

 private:
  struct BusyTime {
    std::uint64_t busy = 0;
    std::uint64_t all = 0;
  };
  [[nodiscard]] std::vector<BusyTime> busy_times();
  [[nodiscard]] std::optional<std::uint32_t> clock_of(
      const std::vector<const hardware::PhysicalCore*>& busy) const;

  std::filesystem::path root_;
  std::vector<hardware::PhysicalCore> cores_;
  Occupation whole_;
  std::vector<BusyTime> last_;  // by PU
  std::vector<char> stat_;      // of /proc/stat, kept for the next look
};

}  // namespace huddle::power
