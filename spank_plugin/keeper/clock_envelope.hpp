#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"

namespace huddle::keeper {

/// A clock whose upper limit may be changed while the step runs.
struct EnvelopeClock {
  /// cpufreq's number of the policy.
  std::uint32_t policy = 0;
  /// Those of the step that share it. Not empty.
  PuSet pus;
  /// The upper limit stays within these.
  frequency::ClockLimits limits;
  /// Frequencies that the driver offers, in kHz, ascending, also outside of the limits; empty if it
  /// takes any.
  std::vector<std::uint32_t> steps_khz;
};

/// The files of the clocks that a step may change, opened while this process may do so: what it
/// then can do without rights is to write upper limits within the envelope to these files, and
/// nothing else. For one thread.
class ClockEnvelope {
 public:
  /// Opens scaling_max_freq and scaling_cur_freq of each clock below devices/system/cpu/cpufreq of
  /// `sysfs`, following no link from there on. The latter may be missing: then current_khz() knows
  /// nothing. Throws SystemError, or Error for an envelope that is none: no clock, limits of 0 or
  /// backwards, steps that do not ascend, a PU or policy with two clocks.
  explicit ClockEnvelope(std::vector<EnvelopeClock> clocks,
                         const std::filesystem::path& sysfs = "/sys");

  [[nodiscard]] std::span<const EnvelopeClock> clocks() const noexcept { return clocks_; }

  /// Writes an upper limit. Returns 0, or the errno value that the kernel refuses with; EINVAL for
  /// what is outside of the envelope, which is not written. Precondition: `clock` <
  /// clocks().size().
  [[nodiscard]] int write_most(std::size_t clock, std::uint32_t khz) const noexcept;
  /// Reads the clock's present frequency, in kHz; 0 if that can't be read. Some kernels take 10 ms
  /// to answer.
  [[nodiscard]] std::uint32_t current_khz(std::size_t clock) const noexcept;

 private:
  struct Files {
    files::OwnedDescriptor most;
    files::OwnedDescriptor current;
  };

  std::vector<EnvelopeClock> clocks_;
  std::vector<Files> files_;
};

}  // namespace huddle::keeper
