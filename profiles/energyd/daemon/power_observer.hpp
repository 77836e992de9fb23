#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiles/formats/observations/power_observations.hpp"
#include "profiles/hardware/attribution/energy_ledger.hpp"
#include "profiles/hardware/monitoring/sensor_account.hpp"
#include "profiles/hardware/observation/core_activity.hpp"

namespace huddle::energyd {

/// Keeps what this node drew by how much of it was in use, for huddle machine power. For one
/// thread.
class PowerObserver {
 public:
  struct Options {
    /// Below which /proc and /sys are looked at.
    std::filesystem::path root = "/";
    /// From value to value of each sensor.
    Seconds period{1};
    /// Where the observations are kept; one that is of another node, or has other sensors, is begun
    /// anew. Empty: they are not kept.
    std::filesystem::path file;
  };
  /// `sensors` are those whose readings look() gets, `of_whole_node` whether they count all that
  /// the node draws. A file that can't be read is left as it is, see trouble().
  PowerObserver(Options options, std::vector<std::string> sensors, bool of_whole_node);

  /// Takes note of the time since the last look, if that is long enough for the sensors, and if the
  /// same was in use in it and before it: sensors are read a little earlier or later. `job`: one of
  /// those that run.
  void look(std::span<const power::SensorReading> readings, std::optional<std::uint32_t> job,
            power::BootClock::time_point now);

  /// Throws SystemError.
  void save() const;

  [[nodiscard]] const PowerObservations& observations() const { return observations_; }
  /// Why nothing is kept although it should be; empty if it is.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  /// Returns the power between two looks; nothing if some of it is lost.
  [[nodiscard]] std::optional<Watts> power_since(std::span<const power::SensorReading> readings,
                                                 Seconds elapsed) const;

  Options options_;
  power::CoreActivity activity_;
  PowerObservations observations_;
  std::string trouble_;
  std::vector<power::SensorReading> last_;
  power::BootClock::time_point last_at_;
  std::optional<Occupation> before_;
};

}  // namespace huddle::energyd
