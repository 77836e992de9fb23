#include "spank_plugin/frequency/driver_family.hpp"

#include <doctest/doctest.h>

#include "tests/spank_plugin/frequency/pretended_kernel.hpp"

namespace huddle::frequency {
namespace {

CpufreqPolicy policy_of(PretendedKernel& kernel) {
  const auto policy = read_policy(kernel, 0, pus_by_policy(kernel).at(0), driver_of(kernel, 0));
  REQUIRE(policy.has_value());
  return *policy;
}

// The limits that a driver of this name gets for those asked for.
std::string limits_for(const std::string& driver, const ClockLimits& limits) {
  PretendedKernel kernel(driver);
  ControlValues values = values_for(policy_of(kernel), limits);
  return values[Control::kLeast] + "-" + values[Control::kMost];
}

TEST_CASE("drivers belong to families") {
  const auto family = [](const char* driver) {
    PretendedKernel kernel(driver);
    return family_of(policy_of(kernel));
  };
  CHECK(family("acpi-cpufreq") == DriverFamily::kGovernedSteps);
  CHECK(family("intel_cpufreq") == DriverFamily::kGoverned);
  CHECK(family("amd-pstate") == DriverFamily::kGoverned);
  CHECK(family("cppc_cpufreq") == DriverFamily::kGoverned);
  CHECK(family("intel_pstate") == DriverFamily::kAutonomous);
  CHECK(family("amd-pstate-epp") == DriverFamily::kAutonomous);
}

TEST_CASE("limits are moved into what the hardware can do") {
  for (const char* driver :
       {"acpi-cpufreq", "intel_cpufreq", "amd-pstate", "cppc_cpufreq", "intel_pstate"}) {
    CAPTURE(driver);
    CHECK(limits_for(driver, {1, 100'000'000}) == "1000000-3000000");
    CHECK(limits_for(driver, {4000000, 5000000}) == "3000000-3000000");
    CHECK(limits_for(driver, {1, 2}) == "1000000-1000000");
  }
}

TEST_CASE("a driver with steps gets steps, the upper one never above what was asked for") {
  CHECK(limits_for("acpi-cpufreq", {1200000, 2300000}) == "1500000-2000000");
  CHECK(limits_for("acpi-cpufreq", {1600000, 1900000}) == "1500000-1500000");
  CHECK(limits_for("acpi-cpufreq", {2000000, 2000000}) == "2000000-2000000");
  CHECK(limits_for("intel_cpufreq", {1600000, 1900000}) == "1600000-1900000");
}

TEST_CASE("boost above the steps is kept where it is asked for") {
  PretendedKernel kernel("acpi-cpufreq");
  kernel.at(0, "cpuinfo_max_freq") = kernel.at(0, "scaling_max_freq") = "3600000";
  CHECK(values_for(policy_of(kernel), {1500000, 3600000})[Control::kMost] == "3600000");
  CHECK(values_for(policy_of(kernel), {1500000, 3500000})[Control::kMost] == "3000000");
}

TEST_CASE("governors are left alone but the one that would hold a whole range at its lower end") {
  for (const char* governor : {"schedutil", "ondemand", "performance", "userspace"}) {
    CAPTURE(governor);
    PretendedKernel kernel("intel_cpufreq");
    kernel.at(0, "scaling_governor") = governor;
    CHECK_FALSE(values_for(policy_of(kernel), {1000000, 2000000}).contains(Control::kGovernor));
  }
  PretendedKernel kernel("intel_cpufreq");
  kernel.at(0, "scaling_governor") = "powersave";
  CHECK(values_for(policy_of(kernel), {1000000, 2000000})[Control::kGovernor] == "schedutil");
  CHECK_FALSE(values_for(policy_of(kernel), {2000000, 2000000}).contains(Control::kGovernor));
  kernel.at(0, "scaling_available_governors") = "powersave performance";
  CHECK_FALSE(values_for(policy_of(kernel), {1000000, 2000000}).contains(Control::kGovernor));
}

TEST_CASE(
    "a processor that chooses by itself keeps its algorithm, and its preference but \"power\"") {
  for (const char* driver : {"intel_pstate", "amd-pstate-epp"}) {
    CAPTURE(driver);
    PretendedKernel kernel(driver);
    const ClockLimits range{1000000, 2000000};
    CHECK(values_for(policy_of(kernel), range).size() == 2);
    kernel.at(0, "energy_performance_preference") = "power";
    CHECK(values_for(policy_of(kernel), range)[Control::kPreference] == "balance_performance");
    CHECK(values_for(policy_of(kernel), {2000000, 2000000}).size() == 2);
    // Linux answers EBUSY there, and runs at the upper limit.
    kernel.at(0, "scaling_governor") = "performance";
    CHECK(values_for(policy_of(kernel), range).size() == 2);
  }
}

TEST_CASE("limits are written in an order that the kernel takes, from everywhere to everywhere") {
  const std::vector<ClockLimits> ranges = {{1000000, 1000000}, {1000000, 2000000},
                                           {2000000, 2000000}, {1500000, 3000000},
                                           {3000000, 3000000}, {1000000, 3000000}};
  for (const ClockLimits& from : ranges)
    for (const ClockLimits& to : ranges) {
      PretendedKernel kernel("intel_cpufreq");
      kernel.at(0, "scaling_min_freq") = std::to_string(from.least_khz);
      kernel.at(0, "scaling_max_freq") = std::to_string(from.most_khz);
      const CpufreqPolicy now = policy_of(kernel);
      for (const auto& [control, value] : writes_for(now.values, values_for(now, to)))
        CHECK(kernel.write(0, file_of(control), value) == 0);
      CHECK(kernel.limits(0) == text_of(to));
      CHECK(kernel.writes.size() ==
            (from.least_khz != to.least_khz) + (from.most_khz != to.most_khz));
    }
}

}  // namespace
}  // namespace huddle::frequency
