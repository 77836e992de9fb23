#include "profiles/hardware/discovery/power_discovery.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::hardware {
namespace {

namespace fs = std::filesystem;

struct Root {
  void put(const std::string& file, const std::string& content) const {
    fs::create_directories((root.path() / file).parent_path());
    store::put_file(root.path() / file, content + "\n");
  }
  [[nodiscard]] PowerDiscovery found() const { return discover_power(root.path()); }
  // The trouble of the only sensor.
  [[nodiscard]] std::string trouble() const {
    const PowerDiscovery all = found();
    REQUIRE(all.sensors.size() == 1);
    return all.sensors.front().trouble;
  }
  store::TemporaryDirectory root;
};

TEST_CASE("nothing is reported of an empty root") {
  const PowerDiscovery found = Root().found();
  CHECK(found.vendor.empty());
  CHECK(found.model.empty());
  CHECK(found.packages == 0);
  CHECK(found.pus.empty());
  CHECK(found.clocks.empty());
  CHECK(found.sensors.empty());
  CHECK(found.sum.empty());
  CHECK(found.slurm.empty());
}

TEST_CASE("a processor is called as /proc/cpuinfo calls it, an ARM board as its firmware does") {
  const Root x86;
  x86.put("proc/cpuinfo",
          "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 85\n"
          "model name\t: A Xeon\nprocessor\t: 1\nmodel name\t: another");
  CHECK(x86.found().vendor == "GenuineIntel");
  CHECK(x86.found().model == "A Xeon");
  const Root arm;
  arm.put("proc/cpuinfo", "processor\t: 0\nmodel name\t: ARMv8\nCPU implementer\t: 0xc0");
  CHECK(arm.found().vendor == "Ampere");
  CHECK(arm.found().model == "ARMv8");
  arm.put("sys/class/dmi/id/product_name", "A Board");
  CHECK(arm.found().model == "A Board");
  arm.put("sys/firmware/devicetree/base/model", std::string("A Tree") + '\0');
  CHECK(arm.found().model == "A Tree");
}

TEST_CASE("clocks come by policy, with the driver's table or without one") {
  const Root root;
  const std::string policy = "sys/devices/system/cpu/cpufreq/policy";
  root.put(policy + "4/affected_cpus", "4 5");
  root.put(policy + "4/scaling_available_frequencies", "2000000 1000000 ");
  root.put(policy + "4/scaling_cur_freq", "<unknown>");
  root.put(policy + "10/affected_cpus", "10");
  root.put(policy + "10/cpuinfo_max_freq", "3000000");
  root.put(policy + "6/affected_cpus", "");  // all offline
  const PowerDiscovery found = root.found();
  REQUIRE(found.clocks.size() == 2);
  CHECK(found.clocks[0].pus.list() == "4-5");
  CHECK(found.clocks[0].settable == std::vector<Hertz>{{1e9}, {2e9}});
  CHECK_FALSE(found.clocks[0].present);
  CHECK(found.clocks[1].pus.list() == "10");
  CHECK(found.clocks[1].most == Hertz{3e9});
  CHECK(found.clocks[1].settable.empty());
}

TEST_CASE("a sensor that can't be read or whose value can't be is named with the reason") {
  const Root root;
  const std::string chip = "sys/class/hwmon/hwmon0/";
  root.put(chip + "name", "ina231");
  root.put(chip + "label", "sensor_arm");
  root.put(chip + "power1_input", "1500000");
  CHECK(root.trouble().empty());
  root.put(chip + "power1_input", "4294967295");
  CHECK(root.trouble() == "shows 0xffffffff");
  root.put(chip + "power1_input", "99000000000000");
  CHECK(root.trouble() == "shows 99000000 W, which can't be");
  root.put(chip + "power1_input", "-3");
  CHECK(root.trouble() == "does not begin with a whole number");
  CHECK(root.found().sum.empty());
  fs::remove(root.root.path() / (chip + "power1_input"));
  fs::create_directory(root.root.path() / (chip + "power1_input"));
  CHECK(root.trouble() == "can't be read: Is a directory");
}

TEST_CASE("a count beyond its own range is no value") {
  const Root root;
  root.put("sys/class/powercap/intel-rapl:0/name", "package-0");
  root.put("sys/class/powercap/intel-rapl:0/energy_uj", "1001");
  root.put("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "1000");
  CHECK(root.trouble() == "shows 1001, more than its own range of 1000");
}

TEST_CASE("Slurm's way to measure energy is what slurm.conf says, if it is one") {
  const Root root;
  root.put("etc/slurm/slurm.conf",
           "#AcctGatherEnergyType=acct_gather_energy/ipmi\n"
           "acctgatherenergytype=acct_gather_energy/rapl  # yes");
  CHECK(root.found().slurm == "acct_gather_energy/rapl");
  root.put("etc/slurm/slurm.conf", "AcctGatherEnergyType=acct_gather_energy/none");
  CHECK(root.found().slurm.empty());
}

TEST_CASE("this machine can be looked at") {
  const PowerDiscovery found = discover_power();
  CHECK_FALSE(found.pus.empty());
}

}  // namespace
}  // namespace huddle::hardware
