#include <fmt/format.h>

#include <algorithm>

#include "profiles/files/kernel_text.hpp"
#include "profiles/hardware/power/detail/sensor_drivers.hpp"

namespace huddle::power {
namespace {

Covers covered_by_part(std::string_view part) {
  if (part.starts_with("cpu")) return Covers::kPackage;
  if (part.starts_with("memory")) return Covers::kMemory;
  if (part.starts_with("accel")) return Covers::kAccelerator;
  return Covers::kOther;
}

// A file such as energy, cpu_energy or accel0_power; power_cap and others are none.
struct Counter {
  bool is_one = false;
  Quantity quantity = Quantity::kEnergy;
  /// "cpu"; empty for the node.
  std::string part;
};

Counter counter_in(const std::string& file) {
  const std::size_t underscore = file.rfind('_');
  const bool is_part = underscore != std::string::npos;
  const std::string what = is_part ? file.substr(underscore + 1) : file;
  if (what != "energy" && what != "power") return {};
  return {true, what == "energy" ? Quantity::kEnergy : Quantity::kPower,
          is_part ? file.substr(0, underscore) : ""};
}

}  // namespace

void find_cray(const std::filesystem::path& sysfs, std::vector<Sensor>& sensors) {
  constexpr double kUsualScans = 10;  // a second, where raw_scan_hz does not say
  const std::filesystem::path directory = sysfs / "cray/pm_counters";
  const auto scans =
      static_cast<double>(files::whole_number(files::first_line_of(directory / "raw_scan_hz")));
  const std::vector<std::string> files = files::sorted_names_in(directory);
  for (const Quantity quantity : {Quantity::kEnergy, Quantity::kPower})
    for (const std::string& file : files) {
      const Counter counter = counter_in(file);
      if (!counter.is_one || counter.quantity != quantity) continue;
      const bool is_part = !counter.part.empty();
      Sensor sensor;
      sensor.name = is_part ? fmt::format("node/{}", counter.part) : "node";
      sensor.interface = "cray";
      sensor.covers = is_part ? covered_by_part(counter.part) : Covers::kNode;
      if (is_part) sensor.parent = "node";
      sensor.quantity = quantity;
      sensor.file = directory / file;
      sensor.unit = 1;
      sensor.refresh = Seconds{1 / (scans > 0 ? scans : kUsualScans)};
      sensor.most_watts = is_part ? kMostWattsOfPart : kMostWattsOfNode;
      if (is_name_taken(sensors, sensor.name)) {  // energy, which needs no integration
        sensor.same_as = sensor.name;
        sensor.name += " (power)";
      }
      sensors.push_back(std::move(sensor));
    }
}

}  // namespace huddle::power
