#include "profiles/hardware/monitoring/energy_meters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiles/files/kernel_file.hpp"

namespace huddle::power {
namespace {

// Returns the sensors that count energy; cores and graphics only where no package is shown that
// holds them.
std::vector<Sensor> meters_among(const std::vector<Sensor>& sensors, bool of_hwmon) {
  const bool has_packages = std::any_of(sensors.begin(), sensors.end(), [](const Sensor& sensor) {
    return sensor.covers == Covers::kPackage;
  });
  std::vector<Sensor> meters;
  for (const Sensor& sensor : sensors) {
    const bool is_part =
        has_packages && (sensor.covers == Covers::kCores || sensor.covers == Covers::kGraphics);
    if (sensor.quantity != Quantity::kEnergy || is_part) continue;
    if ((sensor.interface == "hwmon") != of_hwmon) continue;
    if (of_hwmon || sensor.same_as.empty()) meters.push_back(sensor);
  }
  return meters;
}

}  // namespace

void EnergyMeters::Meter::read(BootClock::time_point now) {
  std::array<char, 64> text{};
  const long size = files::read_kernel_file(sensor.file.c_str(), text.data(), text.size());
  account.take(now, size, {text.data(), static_cast<std::size_t>(std::max(size, 0L))});
  if (!reason.empty()) return;
  const SensorTotals totals = account.totals();
  reason = totals.trouble;
  if (reason.empty() && totals.lost > Seconds{0})
    reason = fmt::format("was not read for {:.0f} s", totals.lost.value);
}

EnergyMeters EnergyMeters::find(const std::filesystem::path& sysfs, BootClock::time_point now) {
  EnergyMeters found;
  found.searched_ = true;
  const std::vector<Sensor> sensors = find_sensors(sysfs);
  bool has_rapl = false;
  const auto begin_all = [&](bool of_hwmon) {
    for (Sensor& sensor : meters_among(sensors, of_hwmon)) {
      Meter& meter = found.meters_.emplace_back(std::move(sensor));
      meter.read(now);
      has_rapl |= meter.reason.empty() && meter.sensor.interface.starts_with("intel-rapl");
    }
  };
  begin_all(false);
  // Where no RAPL zone can be read, others may show the same.
  if (!has_rapl) begin_all(true);
  return found;
}

void EnergyMeters::poll(BootClock::time_point now) noexcept {
  try {
    for (Meter& meter : meters_) meter.read(now);
  } catch (const std::exception&) {  // no memory to say why one is given up
  }
}

std::vector<EnergyReading> EnergyMeters::readings() const {
  std::vector<EnergyReading> readings;
  for (const Meter& meter : meters_)
    if (meter.reason.empty())
      readings.push_back({meter.sensor.name, meter.account.totals().energy});
  return readings;
}

std::vector<AbsentEvent> EnergyMeters::absent() const {
  if (meters_.empty() && searched_)
    return {{"energy",
             "this machine shows no energy meter: no RAPL, no Cray pm_counters, none in hwmon (a "
             "virtual machine?)",
             1}};
  std::vector<AbsentEvent> absent;
  for (const Meter& meter : meters_)
    if (!meter.reason.empty())
      absent.push_back(
          {meter.sensor.name, fmt::format("{} {}", meter.sensor.file, meter.reason), 1});
  return absent;
}

}  // namespace huddle::power
