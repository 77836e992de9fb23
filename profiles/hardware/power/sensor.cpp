#include "profiles/hardware/power/sensor.hpp"

#include <algorithm>

#include "profiles/hardware/power/detail/sensor_drivers.hpp"

namespace huddle::power {
namespace {

const Sensor* covering_node(const std::vector<Sensor>& sensors) {
  // Counted energy before power that must be integrated.
  for (const Quantity quantity : {Quantity::kEnergy, Quantity::kPower})
    for (const Sensor& sensor : sensors)
      if (sensor.covers == Covers::kNode && sensor.quantity == quantity && sensor.same_as.empty())
        return &sensor;
  return nullptr;
}

const Sensor* named(const std::vector<Sensor>& sensors, const std::string& name) {
  const auto found = std::find_if(sensors.begin(), sensors.end(),
                                  [&](const Sensor& sensor) { return sensor.name == name; });
  return found == sensors.end() ? nullptr : &*found;
}

// The sensor of another interface that counts all of this one: Cray's counter of the CPUs or of the
// memory, else the one of the node, else the platform's.
std::string outer_of(const std::vector<Sensor>& sensors, const Sensor& sensor) {
  const bool is_cray = sensor.interface == "cray";
  const char* part = nullptr;
  if (sensor.covers == Covers::kPackage || sensor.covers == Covers::kCores) part = "node/cpu";
  if (sensor.covers == Covers::kMemory) part = "node/memory";
  if (!is_cray && part != nullptr && named(sensors, part) != nullptr) return part;
  const Sensor* const node = covering_node(sensors);
  if (node != nullptr && node->name != sensor.name) return node->name;
  const bool in_platform = sensor.covers == Covers::kPackage || sensor.covers == Covers::kMemory;
  if (node == nullptr && in_platform)
    for (const Sensor& other : sensors)
      if (other.covers == Covers::kPlatform && other.same_as.empty()) return other.name;
  return {};
}

// A rail that says nothing of what it feeds, a card that may be inside of a package, and cores
// whose package nobody names could be counted twice; and so could what hwmon shows of packages that
// RAPL shows as well.
bool may_be_added(const std::vector<Sensor>& sensors, const Sensor& sensor) {
  if (sensor.covers == Covers::kOther || sensor.covers == Covers::kAccelerator) return false;
  const bool has_packages = std::any_of(sensors.begin(), sensors.end(), [](const Sensor& other) {
    return other.covers == Covers::kPackage;
  });
  if (has_packages && (sensor.covers == Covers::kCores || sensor.covers == Covers::kGraphics))
    return false;
  return sensor.interface != "hwmon" ||
         std::none_of(sensors.begin(), sensors.end(), [](const Sensor& other) {
           return other.interface.starts_with("intel-rapl");
         });
}

// amd_energy shows the sockets that RAPL's zones show, in the same order.
void set_same_packages(std::vector<Sensor>& sensors) {
  constexpr std::string_view kSocket = "amd_energy/Esocket";
  for (Sensor& sensor : sensors)
    if (sensor.name.starts_with(kSocket))
      if (const Sensor* const zone =
              named(sensors, "package-" + sensor.name.substr(kSocket.size())))
        sensor.same_as = zone->name;
}

}  // namespace

std::vector<Sensor> find_sensors(const std::filesystem::path& sysfs) {
  std::vector<Sensor> sensors;
  find_rapl(sysfs, sensors);
  find_cray(sysfs, sensors);
  find_hwmon(sysfs, sensors);
  set_same_packages(sensors);
  std::vector<std::string> outer;
  for (const Sensor& sensor : sensors)
    outer.push_back(sensor.parent.empty() && sensor.same_as.empty() ? outer_of(sensors, sensor)
                                                                    : sensor.parent);
  for (std::size_t i = 0; i < sensors.size(); ++i) sensors[i].parent = outer[i];
  return sensors;
}

std::vector<std::string> sum_of_node(const std::vector<Sensor>& sensors) {
  if (const Sensor* const node = covering_node(sensors)) return {node->name};
  std::vector<std::string> names;
  for (const Sensor& sensor : sensors)
    if (named(sensors, sensor.parent) == nullptr && named(sensors, sensor.same_as) == nullptr &&
        may_be_added(sensors, sensor))
      names.push_back(sensor.name);
  return names;
}

std::string_view name_of(Covers covers) {
  switch (covers) {
    case Covers::kNode:
      return "node";
    case Covers::kPlatform:
      return "platform";
    case Covers::kPackage:
      return "package";
    case Covers::kCores:
      return "cores";
    case Covers::kGraphics:
      return "graphics";
    case Covers::kMemory:
      return "memory";
    case Covers::kAccelerator:
      return "accelerator";
    case Covers::kOther:
      break;
  }
  return "other";
}

std::string_view name_of(Quantity quantity) {
  return quantity == Quantity::kEnergy ? "energy" : "power";
}

}  // namespace huddle::power
