#include "profiles/hardware/power/energy_meters.hpp"

#include <algorithm>

#include "profiles/hardware/power/meter_search.hpp"

namespace huddle::power {

EnergyMeters EnergyMeters::find(const std::filesystem::path& sysfs, Clock::time_point now) {
  EnergyMeters found;
  found.searched_ = true;
  const auto begin_all = [&](std::vector<MeterDescription> descriptions) {
    bool any = false;
    for (MeterDescription& description : descriptions) {
      EnergyMeter& meter = found.meters_.emplace_back(std::move(description));
      meter.begin(now);
      any |= meter.energy().has_value();
    }
    return any;
  };
  const bool has_rapl = begin_all(find_rapl(sysfs));
  begin_all(find_cray(sysfs));
  if (!has_rapl) begin_all(find_hwmon(sysfs));
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
