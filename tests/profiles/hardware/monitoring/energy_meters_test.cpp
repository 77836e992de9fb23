#include "profiles/hardware/monitoring/energy_meters.hpp"

#include <doctest/doctest.h>
#include <errno.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::uint64_t kRange = 262'143'328'850;  // uJ, as on many servers

// A /sys of the test's own.
struct MeteredNode {
  void put(const std::string& file, const std::string& content) const {
    fs::create_directories((root.path() / file).parent_path());
    store::put_file(root.path() / file, content + "\n");
  }
  void put_zone(const std::string& zone, const std::string& name, std::uint64_t microjoules,
                std::uint64_t range = kRange) const {
    const std::string directory = "class/powercap/" + zone;
    put(directory + "/name", name);
    put(directory + "/energy_uj", std::to_string(microjoules));
    put(directory + "/max_energy_range_uj", std::to_string(range));
  }
  void set_zone(const std::string& zone, std::uint64_t microjoules) const {
    put("class/powercap/" + zone + "/energy_uj", std::to_string(microjoules));
  }
  [[nodiscard]] EnergyMeters find() const { return EnergyMeters::find(root.path(), begin); }

  store::TemporaryDirectory root;
  BootClock::time_point begin{1000s};
};

std::string names(const EnergyMeters& meters) {
  std::string text;
  for (const EnergyReading& reading : meters.readings()) text += reading.meter + " ";
  return text;
}

std::string only_reason(const EnergyMeters& meters) {
  CHECK(meters.readings().empty());
  REQUIRE(meters.absent().size() == 1);
  CHECK(meters.absent().front().ranks == 1);
  return meters.absent().front().reason;
}

TEST_CASE("packages, their memory and the platform are meters; parts of a package are not") {
  const MeteredNode node;
  node.put("class/powercap/intel-rapl/enabled", "1");
  node.put_zone("intel-rapl:0", "package-0", 1);
  node.put_zone("intel-rapl:0:0", "core", 1);
  node.put_zone("intel-rapl:0:1", "dram", 1);
  node.put_zone("intel-rapl:0:2", "uncore", 1);
  node.put_zone("intel-rapl:1", "package-1", 1);
  node.put_zone("intel-rapl:1:0", "dram", 1);
  node.put_zone("intel-rapl:2", "psys", 1);
  node.put_zone("intel-rapl-mmio:0", "package-0", 1);
  node.put_zone("dtpm:0", "package-7", 1);
  CHECK(names(node.find()) == "package-0 package-1 psys package-0/dram package-1/dram ");
}

TEST_CASE("a counter of cores is a meter where no package is shown that holds them") {
  const MeteredNode node;
  node.put("class/hwmon/hwmon0/name", "scmi_sensors");
  node.put("class/hwmon/hwmon0/energy1_input", "1");
  node.put("class/hwmon/hwmon0/energy1_label", "cpu");
  CHECK(names(node.find()) == "scmi_sensors/cpu ");
}

TEST_CASE("servers that show their zones by TPMI only are measured there") {
  const MeteredNode node;
  node.put_zone("intel-rapl-tpmi:0", "package-0", 1);
  node.put_zone("intel-rapl-tpmi:0:0", "dram", 1);
  CHECK(names(node.find()) == "package-0 package-0/dram ");
}

TEST_CASE("energy is what was counted since the meters were found, in joules") {
  const MeteredNode node;
  node.put_zone("intel-rapl:0", "package-0", 5'000'000);
  EnergyMeters meters = node.find();
  CHECK(meters.readings().at(0).energy == Joules{0});
  node.set_zone("intel-rapl:0", 105'500'000);
  meters.poll(node.begin + 1s);
  node.set_zone("intel-rapl:0", 205'500'000);
  meters.poll(node.begin + 2s);
  CHECK(meters.readings().at(0).meter == "package-0");
  CHECK(meters.readings().at(0).energy.value == doctest::Approx(200.5));
  CHECK(meters.absent().empty());
}

TEST_CASE("a count that wraps goes on from its range, as often as it wraps") {
  const MeteredNode node;
  node.put_zone("intel-rapl:0", "package-0", kRange - 1'000'000);
  EnergyMeters meters = node.find();
  BootClock::time_point now = node.begin;
  double expected = 1;
  for (int wrap = 0; wrap < 3; ++wrap) {
    node.set_zone("intel-rapl:0", 2'000'000);
    meters.poll(now += 100s);
    expected += 2;
    node.set_zone("intel-rapl:0", 100'000'000'000);
    meters.poll(now += 250s);
    node.set_zone("intel-rapl:0", 200'000'000'000);
    meters.poll(now += 250s);
    node.set_zone("intel-rapl:0", kRange - 1'000'000);
    meters.poll(now += 200s);
    expected += kRange * 1e-6 - 2;
  }
  expected -= 1;  // of the last wrap, which is still to come
  CHECK(meters.absent().empty());
  CHECK(meters.readings().at(0).energy.value == doctest::Approx(expected).epsilon(1e-9));
}

TEST_CASE("a meter with a range is given up if it was not polled often enough") {
  const MeteredNode node;
  node.put_zone("intel-rapl:0", "package-0", 0);
  node.put_zone("intel-rapl:0:0", "dram", 0, 65'712'999'613);
  EnergyMeters meters = node.find();
  node.set_zone("intel-rapl:0", 10'000'000);
  node.set_zone("intel-rapl:0:0", 10'000'000);
  meters.poll(node.begin + 100s);
  CHECK(names(meters) == "package-0 ");
  CHECK(meters.absent().at(0).event == "package-0/dram");
  CHECK(meters.absent().at(0).reason.find("was not read for 100 s") != std::string::npos);
}

TEST_CASE("a jump that no package can make is not given as energy") {
  const MeteredNode node;
  node.put_zone("intel-rapl:0", "package-0", 0);
  EnergyMeters meters = node.find();
  node.set_zone("intel-rapl:0", 99'000'000'000);  // 9 kW over 10 s and the second before: just so
  meters.poll(node.begin + 10s);
  CHECK(names(meters) == "package-0 ");
  node.set_zone("intel-rapl:0", 250'000'000'000);
  meters.poll(node.begin + 20s);
  CHECK(only_reason(meters).find("jumped: 13727 W on average can't be") != std::string::npos);
  node.set_zone("intel-rapl:0", 250'000'000'001);
  meters.poll(node.begin + 21s);
  CHECK(meters.readings().empty());  // for good
}

TEST_CASE("meters that can't be believed are absent with the reason") {
  const MeteredNode node;
  node.put_zone("intel-rapl:0", "package-0", 1000);
  EnergyMeters meters = node.find();
  const std::string file = "class/powercap/intel-rapl:0/energy_uj";
  SUBCASE("text instead of a number") {
    node.put(file, "nonsense");
    meters.poll(node.begin + 1s);
    CHECK(only_reason(meters).find("does not begin with a whole number") != std::string::npos);
  }
  SUBCASE("a number with something behind it") {
    node.put(file, "12x");
    meters.poll(node.begin + 1s);
    CHECK(only_reason(meters).find("does not begin with a whole number") != std::string::npos);
  }
  SUBCASE("nothing at all") {
    store::put_file(node.root.path() / file, "");
    meters.poll(node.begin + 1s);
    CHECK(only_reason(meters).find("does not begin with a whole number") != std::string::npos);
  }
  SUBCASE("more than the range") {
    node.set_zone("intel-rapl:0", kRange + 1);
    meters.poll(node.begin + 1s);
    CHECK(only_reason(meters).find("more than its own range of 262143328850") != std::string::npos);
  }
  SUBCASE("a file that vanished") {
    fs::remove(node.root.path() / file);
    meters.poll(node.begin + 1s);
    CHECK(only_reason(meters).find("vanished") != std::string::npos);
  }
  SUBCASE("a count that stands still, as virtual machines show it") {
    meters.poll(node.begin + 1s);
    CHECK(names(meters) == "package-0 ");
    meters.poll(node.begin + 12s);
    CHECK(only_reason(meters).find("has not moved for 12 s") != std::string::npos);
  }
}

TEST_CASE("a meter that goes backwards without a range is absent") {
  const MeteredNode node;
  node.put("cray/pm_counters/energy", "500 J 1 us");
  EnergyMeters meters = node.find();
  node.put("cray/pm_counters/energy", "499 J 2 us");
  meters.poll(node.begin + 1s);
  CHECK(only_reason(meters).find("went backwards") != std::string::npos);
}

TEST_CASE("a Cray node counts itself and its parts") {
  const MeteredNode node;
  node.put("cray/pm_counters/energy", "1000 J 0 us");
  node.put("cray/pm_counters/cpu_energy", "400 J 0 us");
  node.put("cray/pm_counters/accel0_energy", "10 J 0 us");
  node.put("cray/pm_counters/power", "300 W 0 us");
  node.put("cray/pm_counters/accel0_energy_cap", "10 J 0 us");
  EnergyMeters meters = node.find();
  CHECK(names(meters) == "node node/cpu node/accel0 ");
  // More than a part may take, and what a node with accelerators does.
  node.put("cray/pm_counters/energy", "121000 J 1000 us");
  node.put("cray/pm_counters/cpu_energy", "700 J 1000 us");
  node.put("cray/pm_counters/accel0_energy", "11 J 1000 us");
  meters.poll(node.begin + 10s);
  REQUIRE(meters.readings().size() == 3);
  CHECK(meters.readings()[0].energy == Joules{120000});
  CHECK(meters.readings()[1].energy == Joules{300});
}

void put_amd_energy(const MeteredNode& node) {
  node.put("class/hwmon/hwmon3/name", "amd_energy");
  node.put("class/hwmon/hwmon3/energy1_input", "700");
  node.put("class/hwmon/hwmon3/energy1_label", "Ecore000");
  node.put("class/hwmon/hwmon3/energy2_input", "1000000");
  node.put("class/hwmon/hwmon3/energy2_label", "Esocket0");
  node.put("class/hwmon/hwmon3/temp1_input", "45000");
  node.put("class/hwmon/hwmon4/energy1_input", "5");
}

TEST_CASE("drivers of hwmon are asked where there is no RAPL") {
  const MeteredNode node;
  put_amd_energy(node);
  EnergyMeters meters = node.find();
  CHECK(names(meters) == "amd_energy/Esocket0 hwmon4/energy1 ");
  node.put("class/hwmon/hwmon3/energy2_input", "3500000");
  meters.poll(node.begin + 1s);
  CHECK(meters.readings().at(0).energy.value == doctest::Approx(2.5));

  node.put_zone("intel-rapl:0", "package-0", 1);
  CHECK(names(node.find()) == "package-0 ");
}

TEST_CASE("a node without meters says so, and polling does nothing") {
  const MeteredNode node;
  EnergyMeters meters = node.find();
  CHECK(meters.empty());
  meters.poll(node.begin + 1s);
  CHECK(only_reason(meters) ==
        "this machine shows no energy meter: no RAPL, no Cray pm_counters, none in hwmon (a "
        "virtual machine?)");
  CHECK(meters.absent().front().event == "energy");
  CHECK(EnergyMeters().absent().empty());
}

TEST_CASE("what only root may read is absent with the reason, and hwmon is asked instead") {
  const MeteredNode node;
  node.put_zone("intel-rapl:0", "package-0", 1);
  put_amd_energy(node);
  const fs::path file = node.root.path() / "class/powercap/intel-rapl:0/energy_uj";
  fs::permissions(file, fs::perms::owner_read);
  fs::permissions(node.root.path(), fs::perms::all);
  const auto check = [&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
    if (::access(file.c_str(), R_OK) == 0) return 0;  // the owner runs the tests
    const EnergyMeters meters = node.find();
    const bool good = names(meters) == "amd_energy/Esocket0 hwmon4/energy1 " &&
                      meters.absent().size() == 1 && meters.absent().front().event == "package-0" &&
                      meters.absent().front().reason == file.string() + " only root may read it";
    return good ? 0 : 1;
  };
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(check());
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("polling leaves errno as it was, and no file open") {
  const MeteredNode node;
  node.put_zone("intel-rapl:0", "package-0", 1);
  EnergyMeters meters = node.find();
  const int lowest = ::dup(0);
  ::close(lowest);
  fs::remove(node.root.path() / "class/powercap/intel-rapl:0/energy_uj");
  errno = ERANGE;
  meters.poll(node.begin + 1s);
  CHECK(errno == ERANGE);
  const int again = ::dup(0);
  CHECK(again == lowest);
  ::close(again);
}

TEST_CASE("this machine's own meters are given or absent, never neither") {
  EnergyMeters meters = EnergyMeters::find();
  meters.poll();
  CHECK(meters.readings().size() + meters.absent().size() >= 1);
}

}  // namespace
}  // namespace huddle::power
