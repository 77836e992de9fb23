#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::charm {

/// Linux's facts about the clock of a CPU, for people who are not root.
struct CpuClock {
  /// The policy of cpufreq: CPUs of one policy share a clock.
  std::uint32_t policy = 0;
  /// The kernel's number of its package.
  std::uint32_t package = 0;
  /// Ascending. From a table if the driver has one, else in steps of 100 MHz between the limits of
  /// the hardware.
  std::vector<Hertz> steps;
};

/// Nothing if the CPU's clock can't be set, as in most virtual machines. Throws std::bad_alloc
/// only.
std::optional<CpuClock> read_cpu_clock(std::uint32_t cpu,
                                       const std::filesystem::path& sysfs = "/sys");

/// The PEs that share a clock.
enum class ClockGrain : std::uint8_t {
  kMachine,  ///< as the machine says
  kFine,     ///< each has its own (FG-EnergyLB)
  kCoarse,   ///< those of a package share one (CG-EnergyLB)
};

/// A PE's report about the core that it runs on.
struct PePlace {
  /// Its machine, by any number that no other has.
  std::uint32_t node = 0;
  /// True if it stays on one CPU. Of those that don't, all of a node share what they ask for.
  bool bound = false;
  std::uint32_t policy = 0;
  std::uint32_t package = 0;
};

/// The clock domain of each PE, numbered from 0 in the order of PEs.
std::vector<std::uint32_t> clock_domains(std::span<const PePlace> places, ClockGrain grain);

}  // namespace huddle::charm
