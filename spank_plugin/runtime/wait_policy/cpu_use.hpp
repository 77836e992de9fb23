#pragma once

#include <cstdint>

namespace huddle::runtime {

/// Facts about the CPUs of this node when a rank is started: what else uses them, and how much of
/// them its process may use. Numbers of CPUs are in hundredths.
struct CpuUse {
  /// CPUs that are online; 0: unknown, and then so are load and stolen.
  std::uint32_t online = 0;
  /// The load average of 1 and of 5 minutes: of everybody's threads.
  std::uint32_t load_1 = 0;
  std::uint32_t load_5 = 0;
  /// Threads that were running or ready to run just then, that of the reader left out.
  std::uint32_t running = 0;
  /// The part of the CPUs' time that the hypervisor gave to others since the node was booted, in
  /// thousandths.
  std::uint32_t stolen = 0;
  /// CPUs that all processes of the tightest control group around this one may use together
  /// (cpu.max, or cpu.cfs_quota_us); 0: no limit, or unknown.
  std::uint32_t quota = 0;
};

/// Reads these facts from the kernel's files below `root`, "" for those of this node. Calls what is
/// async-signal-safe only, and allocates nothing.
CpuUse cpu_use(const char* root = "");

}  // namespace huddle::runtime
