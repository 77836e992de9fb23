#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "spank_plugin/frequency/frequency_control.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/spank_plugin/frequency/pretended_kernel.hpp"

namespace huddle::frequency {

// A node with a journal of its own, on which processes die when the test says so.
struct NodeOfClocks {
  explicit NodeOfClocks(const std::string& driver = "intel_cpufreq", std::uint32_t policies = 4,
                        std::uint32_t shared = 1)
      : kernel(driver, policies, shared), before(kernel.files()) {}

  FrequencyControl control() {
    FrequencyControl::Settings settings;
    settings.journal_directory = directory();
    settings.site = site;
    settings.lock_patience = std::chrono::milliseconds(50);
    settings.alive = [this](const processes::ProcessIdentity& process) {
      return !dead.contains(process.pid);
    };
    settings.end_keeper = [this](const processes::ProcessIdentity& keeper) {
      if (!stubborn.contains(keeper.pid)) dead.insert(keeper.pid);
      return !stubborn.contains(keeper.pid);
    };
    settings.boot = boot;
    return {kernel, settings};
  }

  // Job j's step s is process 10 j + s.
  FrequencyReport claim(std::uint32_t job, std::uint32_t step, const std::string& limits,
                        const std::string& allocated = "0-63", bool whole_job = false) {
    return control().claim({job, step, whole_job, {10 * job + step, 1}, parse_limits_by_pu(limits)},
                           PuSet::parse(allocated));
  }

  // The same, with a keeper that is process 1000 + 10 j + s.
  FrequencyReport claim_kept(std::uint32_t job, std::uint32_t step, const std::string& limits,
                             const std::string& allocated = "0-63", bool whole_job = false) {
    const processes::ProcessIdentity keeper{1000 + 10 * job + step, 1};
    return control().claim(
        {job, step, whole_job, {10 * job + step, 1}, parse_limits_by_pu(limits), keeper},
        PuSet::parse(allocated));
  }

  FrequencyReport release(std::uint32_t job, std::uint32_t step) {
    return control().release(
        [&](const Claim& claim) { return claim.job == job && claim.step == step; });
  }

  [[nodiscard]] std::filesystem::path directory() const { return scratch.path() / "journal"; }
  [[nodiscard]] std::filesystem::path journal_file() const { return directory() / "frequencies"; }
  [[nodiscard]] std::string journal() const {
    std::ostringstream text;
    text << std::ifstream(journal_file()).rdbuf();
    return text.str();
  }
  [[nodiscard]] bool is_as_before() const {
    return kernel.files() == before && !std::filesystem::exists(journal_file());
  }

  store::TemporaryDirectory scratch;
  PretendedKernel kernel;
  std::map<std::uint32_t, PretendedKernel::Files> before;
  std::set<std::uint32_t> dead;
  /// Keepers that can't be ended.
  std::set<std::uint32_t> stubborn;
  std::optional<ClockLimits> site;
  std::string boot = "b007";
};

}  // namespace huddle::frequency
