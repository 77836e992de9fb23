#include "spank_plugin/charm/cpu_clock.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::charm {

TEST_CASE("the clock of a CPU is what cpufreq says of it") {
  const store::TemporaryDirectory sysfs;
  const std::filesystem::path cpu = sysfs.path() / "devices/system/cpu/cpu3";
  std::filesystem::create_directories(cpu / "cpufreq");
  std::filesystem::create_directories(cpu / "topology");
  CHECK_FALSE(read_cpu_clock(3, sysfs.path()));
  CHECK_FALSE(read_cpu_clock(4, sysfs.path()));

  store::put_file(cpu / "cpufreq/related_cpus", "2 3\n");
  store::put_file(cpu / "topology/physical_package_id", "1\n");
  store::put_file(cpu / "cpufreq/cpuinfo_min_freq", "1200000\n");
  store::put_file(cpu / "cpufreq/cpuinfo_max_freq", "1450000\n");
  std::optional<CpuClock> clock = read_cpu_clock(3, sysfs.path());
  REQUIRE(clock);
  CHECK(clock->policy == 2);
  CHECK(clock->package == 1);
  CHECK(clock->steps == std::vector<Hertz>{{1.2e9}, {1.3e9}, {1.4e9}, {1.45e9}});

  store::put_file(cpu / "cpufreq/scaling_available_frequencies", "2400000 1800000 1200000 \n");
  clock = read_cpu_clock(3, sysfs.path());
  REQUIRE(clock);
  CHECK(clock->steps == std::vector<Hertz>{{1.2e9}, {1.8e9}, {2.4e9}});
}

TEST_CASE("files of cpufreq that say nothing sensible are as good as none") {
  const store::TemporaryDirectory sysfs;
  const std::filesystem::path cpufreq = sysfs.path() / "devices/system/cpu/cpu0/cpufreq";
  std::filesystem::create_directories(cpufreq);
  store::put_file(cpufreq / "cpuinfo_min_freq", "<unknown>\n");
  store::put_file(cpufreq / "cpuinfo_max_freq", "2400000\n");
  CHECK_FALSE(read_cpu_clock(0, sysfs.path()));
  store::put_file(cpufreq / "cpuinfo_min_freq", "1\n");
  store::put_file(cpufreq / "cpuinfo_max_freq", "1e300\n");
  CHECK_FALSE(read_cpu_clock(0, sysfs.path()));
}

TEST_CASE("PEs share a clock by policy, package or not at all, and loose ones by node") {
  const std::vector<PePlace> places = {
      {0, true, 0, 0}, {0, true, 0, 0}, {0, true, 2, 0}, {0, true, 4, 1},
      {1, true, 0, 0}, {1, false},      {1, false},
  };
  CHECK(clock_domains(places, ClockGrain::kMachine) ==
        std::vector<std::uint32_t>{0, 0, 1, 2, 3, 4, 4});
  CHECK(clock_domains(places, ClockGrain::kCoarse) ==
        std::vector<std::uint32_t>{0, 0, 0, 1, 2, 3, 3});
  CHECK(clock_domains(places, ClockGrain::kFine) ==
        std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6});
}

}  // namespace huddle::charm
