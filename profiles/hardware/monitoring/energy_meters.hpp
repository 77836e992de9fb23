#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/hardware/monitoring/sensor_account.hpp"
#include "profiles/hardware/power/sensor.hpp"

namespace huddle::power {

/// The energy meters of the node that Linux shows: RAPL, Cray's pm_counters, and those of hwmon
/// where no RAPL zone can be read. What they count is the node's, whoever uses it: one process of a
/// node should read them.
///
/// Meters may overlap: "psys" and "node" count the packages and their memory as well. A consumer
/// must not add them up.
///
/// Movable. For one thread at a time.
class EnergyMeters {
 public:
  /// Has no meter, and no reason.
  EnergyMeters() = default;
  /// Counting begins here. Throws std::bad_alloc only.
  static EnergyMeters find(const std::filesystem::path& sysfs = "/sys",
                           BootClock::time_point now = BootClock::now());

  /// Adds what the meters counted since the last call, by opening, reading and closing a file of
  /// each, which takes some 10 us. Allocates nothing as long as all is well, and leaves errno as it
  /// was. RAPL counts to 262 kJ on many machines (66 kJ for the memory of some), and then begins at
  /// 0: a part of a node is taken to use 1 kW at most, if its driver says no limit, and a meter that
  /// was not polled for 262 s (66 s) is given up. Without meters it does nothing.
  void poll(BootClock::time_point now = BootClock::now()) noexcept;
  /// Returns the energy from find() to the last poll(), of the meters that can be trusted.
  [[nodiscard]] std::vector<EnergyReading> readings() const;
  /// The meters that can't be read or trusted, each with the reason and `ranks` = 1; one entry
  /// "energy" if the node has none at all. Ask after the last poll().
  [[nodiscard]] std::vector<AbsentEvent> absent() const;
  [[nodiscard]] bool empty() const { return meters_.empty(); }

 private:
  struct Meter {
    explicit Meter(Sensor found) : sensor(std::move(found)), account(sensor) {}
    void read(BootClock::time_point now);

    Sensor sensor;
    SensorAccount account;
    /// Why it is given up, for good; empty if it is not.
    std::string reason;
  };

  std::vector<Meter> meters_;
  bool searched_ = false;
};

}  // namespace huddle::power
