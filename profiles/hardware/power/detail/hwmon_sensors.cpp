#include <fmt/format.h>

#include "profiles/files/kernel_text.hpp"
#include "profiles/hardware/power/detail/sensor_drivers.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;

// A file such as energy1_input, power2_input or power1_average.
struct SensorFile {
  Quantity quantity = Quantity::kEnergy;
  /// "energy1", "power2"; empty if it is something else.
  std::string sensor;
};

SensorFile sensor_file(const std::string& file) {
  const std::size_t underscore = file.find('_');
  if (underscore == std::string::npos) return {};
  const std::string sensor = file.substr(0, underscore);
  const std::string_view what = std::string_view(file).substr(underscore);
  if (sensor.starts_with("energy") && what == "_input") return {Quantity::kEnergy, sensor};
  if (sensor.starts_with("power") && (what == "_input" || what == "_average"))
    return {Quantity::kPower, sensor};
  return {};
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

std::string lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

// Decides by the driver, else by the names that board makers give their rails.
Covers covered_by(const std::string& driver, const std::string& named) {
  const std::string label = lower_case(named);
  if (driver == "power_meter") return Covers::kNode;
  if (driver == "amd_energy") return label.starts_with("ecore") ? Covers::kCores : Covers::kPackage;
  if (driver == "fam15h_power" || driver == "zenpower") return Covers::kPackage;
  if (driver == "amdgpu" || driver == "nouveau" || driver == "i915" || driver == "xe")
    return Covers::kAccelerator;
  if (holds_any(label, {"total", "system", "board", "vdd_in", "node"})) return Covers::kNode;
  if (holds_any(label, {"g3d", "gpu", "gfx", "graphic"})) return Covers::kGraphics;
  if (holds_any(label, {"mem", "ddr", "dram", "dimm"})) return Covers::kMemory;
  if (holds_any(label, {"package", "socket", "proc"})) return Covers::kPackage;
  if (holds_any(label, {"cpu", "arm", "kfc", "core", "a15", "a7", "big", "little"}))
    return Covers::kCores;
  return Covers::kOther;
}

// Returns the time between new values, which the chip or the sensor says in ms.
std::optional<Seconds> refresh_of(const fs::path& chip, const std::string& sensor) {
  for (const std::string& file : {sensor + "_average_interval", std::string("update_interval")})
    if (const std::uint64_t milliseconds = files::whole_number(files::first_line_of(chip / file));
        milliseconds > 0)
      return Seconds{static_cast<double>(milliseconds) * 1e-3};
  return std::nullopt;
}

// One sensor of a chip, with what tells whether another one is the same.
struct ChipSensor {
  Sensor sensor;
  /// "power1".
  std::string number;
  /// Its own, not the chip's; empty if it has none.
  std::string label;
};

// A chip may show what it measures now and an average of it, and power beside energy.
void set_same(ChipSensor& one, const std::vector<ChipSensor>& before) {
  if (one.sensor.quantity != Quantity::kPower) return;
  for (const ChipSensor& other : before) {
    const bool same_number = other.number == one.number;
    const bool same_label = !one.label.empty() && other.label == one.label;
    if (other.sensor.same_as.empty() && (same_number || same_label))
      one.sensor.same_as = other.sensor.name;
  }
}

}  // namespace

void find_hwmon(const fs::path& sysfs, std::vector<Sensor>& sensors) {
  constexpr double kMicro = 1e-6;
  const fs::path directory = sysfs / "class/hwmon";
  for (const std::string& chip : files::sorted_names_in(directory)) {
    const std::string chip_label = files::first_line_of(directory / chip / "label");
    const std::string driver = files::first_line_of(directory / chip / "name");
    std::vector<ChipSensor> of_chip;
    const auto is_taken = [&](const std::string& name) {
      return is_name_taken(sensors, name) ||
             std::any_of(of_chip.begin(), of_chip.end(),
                         [&](const ChipSensor& other) { return other.sensor.name == name; });
    };
    for (const std::string& file : files::sorted_names_in(directory / chip)) {
      const auto [quantity, number] = sensor_file(file);
      if (number.empty()) continue;
      ChipSensor one{{}, number, files::first_line_of(directory / chip / (number + "_label"))};
      std::string label = one.label.empty() ? chip_label : one.label;
      if (label.empty()) label = number;
      Sensor& sensor = one.sensor;
      sensor.interface = "hwmon";
      sensor.quantity = quantity;
      sensor.covers = covered_by(driver, label);
      sensor.file = directory / chip / file;
      sensor.unit = kMicro;
      sensor.refresh = refresh_of(directory / chip, number);
      sensor.most_watts = sensor.covers == Covers::kNode ? kMostWattsOfNode : kMostWattsOfPart;
      sensor.name = fmt::format("{}/{}", driver.empty() ? chip : driver, label);
      if (is_taken(sensor.name)) sensor.name = fmt::format("{}/{}", chip, label);
      if (is_taken(sensor.name)) sensor.name = fmt::format("{}/{}", chip, file);
      set_same(one, of_chip);
      of_chip.push_back(std::move(one));
    }
    for (ChipSensor& one : of_chip) sensors.push_back(std::move(one.sensor));
  }
}

}  // namespace huddle::power
