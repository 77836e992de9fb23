#include "profiles/hardware/power/sensor.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// A /sys of the test's own.
struct Sysfs {
  void put(const std::string& file, const std::string& content) const {
    fs::create_directories((root.path() / file).parent_path());
    store::put_file(root.path() / file, content + "\n");
  }
  void put_zone(const std::string& path, const std::string& name) const {
    put("class/powercap/" + path + "/name", name);
    put("class/powercap/" + path + "/energy_uj", "1");
    put("class/powercap/" + path + "/max_energy_range_uj", "1000");
  }
  void put_chip(const std::string& chip, const std::string& driver,
                const std::vector<std::pair<std::string, std::string>>& files) const {
    put("class/hwmon/" + chip + "/name", driver);
    for (const auto& [file, content] : files) put("class/hwmon/" + chip + "/" + file, content);
  }
  [[nodiscard]] std::vector<Sensor> sensors() const { return find_sensors(root.path()); }
  // "name<parent" or "name=the same".
  [[nodiscard]] Names tree() const {
    Names lines;
    for (const Sensor& sensor : sensors())
      lines.push_back(sensor.name +
                      (sensor.same_as.empty() ? "<" + sensor.parent : "=" + sensor.same_as));
    return lines;
  }
  [[nodiscard]] Names sum() const { return sum_of_node(sensors()); }

  store::TemporaryDirectory root;
};

TEST_CASE("a machine without sensors has none, and no sum") {
  const Sysfs sysfs;
  CHECK(sysfs.sensors().empty());
  CHECK(sysfs.sum().empty());
}

TEST_CASE("cores and graphics are inside of their package, memory is beside it") {
  const Sysfs sysfs;
  sysfs.put_zone("intel-rapl:0", "package-0");
  sysfs.put_zone("intel-rapl:0:0", "core");
  sysfs.put_zone("intel-rapl:0:1", "uncore");
  sysfs.put_zone("intel-rapl:0:2", "dram");
  CHECK(sysfs.tree() == Names{"package-0<", "package-0/core<package-0",
                              "package-0/uncore<package-0", "package-0/dram<"});
  CHECK(sysfs.sum() == Names{"package-0", "package-0/dram"});
}

TEST_CASE("zones are found where they lie in the folder of the zone outside of them, too") {
  const Sysfs sysfs;
  sysfs.put_zone("intel-rapl/intel-rapl:0", "package-0");
  sysfs.put_zone("intel-rapl/intel-rapl:0/intel-rapl:0:0", "core");
  CHECK(sysfs.tree() == Names{"package-0<", "package-0/core<package-0"});
}

TEST_CASE("the platform holds packages and memory, and is never added to them") {
  const Sysfs sysfs;
  sysfs.put_zone("intel-rapl:0", "package-0");
  sysfs.put_zone("intel-rapl:0:0", "dram");
  sysfs.put_zone("intel-rapl:1", "psys");
  CHECK(sysfs.tree() == Names{"package-0<psys", "psys<", "package-0/dram<psys"});
  CHECK(sysfs.sum() == Names{"psys"});
}

TEST_CASE("a zone that a second driver shows is the same") {
  const Sysfs sysfs;
  sysfs.put_zone("intel-rapl-mmio:0", "package-0");
  sysfs.put_zone("intel-rapl:0", "package-0");
  CHECK(sysfs.tree() == Names{"package-0<", "package-0 (intel-rapl-mmio:0)=package-0"});
  CHECK(sysfs.sum() == Names{"package-0"});
}

TEST_CASE("Cray's counter of the node holds all, and its power is the same as its energy") {
  const Sysfs sysfs;
  for (const std::string file : {"energy", "power", "cpu_energy", "accel10_energy", "accel2_energy",
                                 "power_cap", "freshness"})
    sysfs.put("cray/pm_counters/" + file, "1 J 2 us");
  sysfs.put("cray/pm_counters/raw_scan_hz", "20");
  sysfs.put_zone("intel-rapl:0", "package-0");
  CHECK(sysfs.tree() == Names{"package-0<node/cpu", "node<", "node/cpu<node", "node/accel2<node",
                              "node/accel10<node", "node (power)=node"});
  CHECK(sysfs.sum() == Names{"node"});
  CHECK(sysfs.sensors()[1].refresh == Seconds{0.05});
}

TEST_CASE("an ACPI power meter covers the node, with the interval that it says") {
  const Sysfs sysfs;
  sysfs.put_zone("intel-rapl:0", "package-0");
  sysfs.put_chip("hwmon3", "power_meter",
                 {{"power1_average", "300000000"}, {"power1_average_interval", "2000"}});
  CHECK(sysfs.tree() == Names{"package-0<power_meter/power1", "power_meter/power1<"});
  CHECK(sysfs.sum() == Names{"power_meter/power1"});
  const Sensor meter = sysfs.sensors()[1];
  CHECK(meter.quantity == Quantity::kPower);
  CHECK(meter.refresh == Seconds{2});
  CHECK(meter.unit == 1e-6);
}

TEST_CASE("rails of a board that say what they feed add up, others do not") {
  const Sysfs sysfs;
  sysfs.put_chip("hwmon0", "ina231", {{"power1_input", "1"}, {"label", "sensor_arm"}});
  sysfs.put_chip("hwmon1", "ina231", {{"power1_input", "1"}, {"label", "sensor_mem"}});
  sysfs.put_chip("hwmon2", "ina226", {{"power1_input", "1"}});
  CHECK(sysfs.sum() == Names{"ina231/sensor_arm", "ina231/sensor_mem"});
}

TEST_CASE("two chips of one driver without labels are told apart by their folders") {
  const Sysfs sysfs;
  sysfs.put_chip("hwmon2", "ina226", {{"power1_input", "1"}, {"power2_input", "1"}});
  sysfs.put_chip("hwmon10", "ina226", {{"power1_input", "1"}});
  CHECK(sysfs.tree() == Names{"ina226/power1<", "ina226/power2<", "hwmon10/power1<"});
}

TEST_CASE("what a card draws now and on average is one sensor, and in no sum") {
  const Sysfs sysfs;
  sysfs.put_chip("hwmon0", "amdgpu", {{"power1_average", "1"}, {"power1_input", "1"}});
  CHECK(sysfs.tree() == Names{"amdgpu/power1<", "hwmon0/power1=amdgpu/power1"});
  CHECK(sysfs.sum().empty());
}

TEST_CASE("sockets of amd_energy are RAPL's packages where both are there") {
  const Sysfs sysfs;
  sysfs.put_chip("hwmon0", "amd_energy",
                 {{"energy1_input", "1"},
                  {"energy1_label", "Ecore000"},
                  {"energy2_input", "1"},
                  {"energy2_label", "Esocket0"}});
  CHECK(sysfs.sum() == Names{"amd_energy/Esocket0"});
  sysfs.put_zone("intel-rapl:0", "package-0");
  CHECK(sysfs.tree() ==
        Names{"package-0<", "amd_energy/Ecore000<", "amd_energy/Esocket0=package-0"});
  CHECK(sysfs.sum() == Names{"package-0"});
}

TEST_CASE("where the sensor of the node does not work, its parts are what is known") {
  const Sysfs sysfs;
  sysfs.put_zone("intel-rapl:0", "package-0");
  sysfs.put_zone("intel-rapl:1", "psys");
  std::vector<Sensor> working = sysfs.sensors();
  std::erase_if(working, [](const Sensor& sensor) { return sensor.name == "psys"; });
  CHECK(sum_of_node(working) == Names{"package-0"});
}

}  // namespace
}  // namespace huddle::power
