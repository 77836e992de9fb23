#include "profiles/hardware/power/energy_meters.hpp"

#include <algorithm>

#include "profiles/hardware/power/sensor.hpp"

namespace huddle::power {
namespace {

// Returns the sensors that count energy; cores and graphics only where no package is shown that
// holds them.
std::vector<MeterDescription> meters_among(const std::vector<Sensor>& sensors, bool of_hwmon) {
  const bool has_packages = std::any_of(sensors.begin(), sensors.end(), [](const Sensor& sensor) {
    return sensor.covers == Covers::kPackage;
  });
  std::vector<MeterDescription> meters;
  for (const Sensor& sensor : sensors) {
    const bool is_part =
        has_packages && (sensor.covers == Covers::kCores || sensor.covers == Covers::kGraphics);
    if (sensor.quantity != Quantity::kEnergy || is_part) continue;
    if ((sensor.interface == "hwmon") != of_hwmon) continue;
    if (!of_hwmon && !sensor.same_as.empty()) continue;
    meters.push_back(
        {sensor.name, sensor.file, Joules{sensor.unit}, sensor.range, sensor.most_watts});
  }
  return meters;
}

bool is_rapl(const std::vector<Sensor>& sensors, const std::string& meter) {
  return std::any_of(sensors.begin(), sensors.end(), [&](const Sensor& sensor) {
    return sensor.name == meter && sensor.interface.starts_with("intel-rapl");
  });
}

}  // namespace

EnergyMeters EnergyMeters::find(const std::filesystem::path& sysfs, Clock::time_point now) {
  EnergyMeters found;
  found.searched_ = true;
  const std::vector<Sensor> sensors = find_sensors(sysfs);
  bool has_rapl = false;
  const auto begin_all = [&](bool of_hwmon) {
    for (MeterDescription& description : meters_among(sensors, of_hwmon)) {
      EnergyMeter& meter = found.meters_.emplace_back(std::move(description));
      meter.begin(now);
      has_rapl |= meter.energy().has_value() && is_rapl(sensors, meter.name());
    }
  };
  begin_all(false);
  // Where no RAPL zone can be read, others may show the same.
  if (!has_rapl) begin_all(true);
  return found;
}

void EnergyMeters::poll(Clock::time_point now) noexcept {
  for (EnergyMeter& meter : meters_) meter.poll(now);
}

std::vector<EnergyReading> EnergyMeters::readings() const {
  std::vector<EnergyReading> readings;
  for (const EnergyMeter& meter : meters_)
    if (const auto energy = meter.energy()) readings.push_back({meter.name(), *energy});
  return readings;
}

std::vector<AbsentEvent> EnergyMeters::absent() const {
  if (meters_.empty() && searched_)
    return {{"energy",
             "this machine shows no energy meter: no RAPL, no Cray pm_counters, none in hwmon (a "
             "virtual machine?)",
             1}};
  std::vector<AbsentEvent> absent;
  for (const EnergyMeter& meter : meters_)
    if (std::string reason = meter.reason(); !reason.empty())
      absent.push_back({meter.name(), std::move(reason), 1});
  return absent;
}

std::optional<Seconds> EnergyMeters::poll_interval() const {
  std::optional<Seconds> shortest;
  for (const EnergyMeter& meter : meters_) {
    const auto interval = meter.energy() ? meter.poll_interval() : std::nullopt;
    if (interval && (!shortest || *interval < *shortest)) shortest = interval;
  }
  return shortest;
}

}  // namespace huddle::power
