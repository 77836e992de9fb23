#pragma once

// Discovery of a node's sensors of energy and of its clocks (Padoin et al., EnergyLB: the discovery
// of the energy daemon).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiles/hardware/power/sensor.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::hardware {

/// PUs whose clock is set together: a policy of Linux's cpufreq.
struct ClockGroup {
  /// Its folder in sysfs.
  std::filesystem::path folder;
  PuSet pus;
  /// Linux's driver; empty if it does not say.
  std::string driver;
  std::string governor;
  /// The range of frequencies that the hardware can run at; nothing if Linux does not say.
  std::optional<Hertz> least;
  std::optional<Hertz> most;
  /// Those that may be set, ascending; empty if the driver has no table: then any from `least` to
  /// `most`.
  std::vector<Hertz> settable;
  /// The present frequency, as Linux shows it.
  std::optional<Hertz> present;
};

/// A sensor, and whether it can be read now.
struct FoundSensor {
  power::Sensor sensor;
  /// Empty if a value was read that can be one; else why not.
  std::string trouble;
  /// True if the only trouble is that this user may not read it.
  bool needs_root = false;
};

struct PowerDiscovery {
  /// Vendor of the processor: "GenuineIntel", "AuthenticAMD", "ARM"; empty if Linux does not say.
  std::string vendor;
  /// Model of the processor, or else of the board; empty if Linux does not say.
  std::string model;
  /// 0 if Linux does not say.
  std::uint32_t packages = 0;
  /// Those that are online.
  PuSet pus;
  std::vector<ClockGroup> clocks;
  std::vector<FoundSensor> sensors;
  /// See power::sum_of_node(): of sensors that work, even if root alone may read them.
  std::vector<std::string> sum;
  /// The plugin that Slurm measures energy with, as slurm.conf says: "acct_gather_energy/rapl";
  /// empty if none.
  std::string slurm;
};

/// The clocks of the node below `root`. Throws std::bad_alloc only.
std::vector<ClockGroup> clocks_of(const std::filesystem::path& root = "/");

/// Reads ClockGroup::present anew: one file, for which some drivers ask the core.
void refresh(ClockGroup& clock);

/// Looks at everything below `root`/sys, `root`/proc and `root`/etc/slurm. Reads each sensor once,
/// and waits for none of them longer than the kernel does. Throws std::bad_alloc only.
PowerDiscovery discover_power(const std::filesystem::path& root = "/");

}  // namespace huddle::hardware
