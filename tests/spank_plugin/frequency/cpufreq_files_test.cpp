#include "spank_plugin/frequency/cpufreq_files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "spank_plugin/frequency/cpufreq_policy.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::frequency {
namespace {

void make_tree(const std::filesystem::path& path, const std::string& driver, int shared) {
  const std::string cluster = HUDDLE_CLUSTER_TESTS;
  REQUIRE(std::system(fmt::format("{0}/fake_sysfs {1} 1 2 2 && {0}/fake_cpufreq {1} {2} {3}",
                                  cluster, path.string(), driver, shared)
                          .c_str()) == 0);
}

TEST_CASE("the policies of each driver are read from a sysfs") {
  for (const char* driver : {"acpi-cpufreq", "intel_cpufreq", "intel_pstate", "amd-pstate",
                             "amd-pstate-epp", "cppc_cpufreq"}) {
    CAPTURE(driver);
    const store::TemporaryDirectory scratch;
    make_tree(scratch.path(), driver, 2);
    SysfsCpufreq files(scratch.path());
    CHECK(files.policies() == std::vector<std::uint32_t>{0, 2});
    const auto policy = read_policy(files, 2, pus_by_policy(files).at(2), driver_of(files, 2));
    REQUIRE(policy.has_value());
    CHECK(policy->driver == driver);
    CHECK(policy->pus == PuSet::parse("2-3"));
    CHECK(policy->hardware == ClockLimits{1200000, 2400000});
    CHECK(policy->limits() == ClockLimits{1200000, 2400000});
    CHECK(policy->steps_khz.empty() == (std::string(driver) != "acpi-cpufreq"));
    // Needed where they could make a difference only.
    CHECK(policy->governors.empty() == (policy->value(Control::kGovernor) != "powersave"));
  }
}

TEST_CASE("a control is written and read back") {
  const store::TemporaryDirectory scratch;
  make_tree(scratch.path(), "intel_cpufreq", 1);
  SysfsCpufreq files(scratch.path());
  CHECK(files.write(3, "scaling_max_freq", "1800000") == 0);
  CHECK(files.read(3, "scaling_max_freq") == "1800000");
  CHECK(files.write(3, "scaling_governor", "powersave") == 0);
  CHECK(files.read(3, "scaling_governor") == "powersave");
  CHECK(files.write(9, "scaling_max_freq", "1800000") == ENOENT);
  CHECK_FALSE(files.read(3, "scaling_setspeed"));
}

TEST_CASE("a link in the place of a control is not followed") {
  const store::TemporaryDirectory scratch;
  make_tree(scratch.path(), "intel_cpufreq", 1);
  const auto victim = scratch.path() / "victim";
  std::ofstream(victim) << "precious";
  const auto control = scratch.path() / "devices/system/cpu/cpufreq/policy0/scaling_max_freq";
  std::filesystem::remove(control);
  std::filesystem::create_symlink(victim, control);
  SysfsCpufreq files(scratch.path());
  CHECK(files.write(0, "scaling_max_freq", "1800000") == ELOOP);
  CHECK_FALSE(files.read(0, "scaling_max_freq"));
  CHECK_FALSE(read_policy(files, 0, pus_by_policy(files).at(0), driver_of(files, 0)));
}

TEST_CASE("a machine without cpufreq has no policies") {
  const store::TemporaryDirectory scratch;
  SysfsCpufreq files(scratch.path());
  CHECK(files.policies().empty());
  CHECK_FALSE(files.read(0, "scaling_max_freq"));
}

}  // namespace
}  // namespace huddle::frequency
