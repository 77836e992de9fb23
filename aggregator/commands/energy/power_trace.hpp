#pragma once

// Power and clocks over time, for spreadsheets and gnuplot.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiles/hardware/discovery/power_discovery.hpp"
#include "profiles/hardware/monitoring/sensor_monitor.hpp"

namespace huddle::cli {

/// Writes a line of comma-separated values for each moment: the time, the power of each sensor
/// since the line before (empty where it is not known), and the least, mean and most of the present
/// clocks.
class PowerTrace {
 public:
  /// `first`: the states of the monitor now. Throws SystemError if the file can't be written.
  PowerTrace(std::filesystem::path file, const std::vector<power::SensorState>& first);

  /// `clocks`: as Linux shows them at that time.
  void add(Seconds time, const std::vector<power::SensorState>& states,
           const std::vector<hardware::ClockGroup>& clocks);
  /// Throws SystemError if not all of it could be written.
  void finish();

 private:
  std::filesystem::path file_;
  std::ofstream out_;
  std::vector<power::SensorTotals> before_;
};

}  // namespace huddle::cli
