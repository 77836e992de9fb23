#pragma once

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "spank_plugin/frequency/cpufreq_files.hpp"

namespace huddle::frequency {

/// cpufreq in memory that refuses and rounds as Linux does, and keeps what was written to it in
/// order. Policy p has the PUs p*shared .. p*shared+shared-1.
class PretendedKernel final : public CpufreqFiles {
 public:
  using Files = std::map<std::string, std::string>;

  explicit PretendedKernel(const std::string& driver, std::uint32_t policies = 4,
                           std::uint32_t shared = 1) {
    for (std::uint32_t policy = 0; policy < policies; ++policy) {
      Files& files = files_[policy];
      for (std::uint32_t pu = policy * shared; pu < (policy + 1) * shared; ++pu)
        files["affected_cpus"] += std::to_string(pu) + " ";
      files["scaling_driver"] = driver;
      files["cpuinfo_min_freq"] = files["scaling_min_freq"] = "1000000";
      files["cpuinfo_max_freq"] = files["scaling_max_freq"] = "3000000";
      files["scaling_governor"] = "schedutil";
      files["scaling_available_governors"] = "conservative powersave performance schedutil";
      if (driver == "acpi-cpufreq")
        files["scaling_available_frequencies"] = "3000000 2500000 2000000 1500000 1000000 ";
      if (driver == "intel_pstate" || driver == "amd-pstate-epp") {
        files["scaling_governor"] = "powersave";
        files["scaling_available_governors"] = "performance powersave";
        files["energy_performance_preference"] = "balance_performance";
        files["energy_performance_available_preferences"] =
            "default performance balance_performance balance_power power";
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> policies() const override {
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, files] : files_) numbers.push_back(number);
    return numbers;
  }

  [[nodiscard]] std::optional<std::string> read(std::uint32_t policy,
                                                const char* file) const override {
    const auto files = files_.find(policy);
    if (files == files_.end() || !files->second.contains(file)) return std::nullopt;
    return files->second.at(file);
  }

  [[nodiscard]] int write(std::uint32_t policy, const char* file, std::string_view value) override {
    const std::string name = file;
    if (on_write) on_write();
    writes.push_back("policy" + std::to_string(policy) + "/" + name + "=" + std::string(value));
    if (broken.contains({policy, name})) return EIO;
    if (ignored.contains({policy, name})) return 0;
    Files& files = files_.at(policy);
    if (name == "scaling_min_freq" && number(value) > number(files["scaling_max_freq"]))
      return EINVAL;
    if (name == "scaling_max_freq" && number(value) < number(files["scaling_min_freq"]))
      return EINVAL;
    files[name] = value;
    if (round_down_to != 0 && name.ends_with("_freq"))
      files[name] = std::to_string(number(value) / round_down_to * round_down_to);
    return 0;
  }

  std::string& at(std::uint32_t policy, const std::string& file) { return files_.at(policy)[file]; }
  void remove_policy(std::uint32_t policy) { files_.erase(policy); }
  [[nodiscard]] std::string limits(std::uint32_t policy) {
    return at(policy, "scaling_min_freq") + "-" + at(policy, "scaling_max_freq");
  }
  [[nodiscard]] const std::map<std::uint32_t, Files>& files() const { return files_; }

  std::vector<std::string> writes;
  /// Controls that refuse every value, and those that take it and stay.
  std::set<std::pair<std::uint32_t, std::string>> broken, ignored;
  unsigned long round_down_to = 0;
  std::function<void()> on_write;

 private:
  static unsigned long number(std::string_view text) { return std::stoul(std::string(text)); }
  std::map<std::uint32_t, Files> files_;
};

}  // namespace huddle::frequency
