#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/operations/doctor/finding.hpp"
#include "profiles/formats/policy/policy.hpp"

namespace huddle::doctor {

/// Slurm's configuration, as `scontrol show config` prints it.
class SlurmSettings {
 public:
  /// Empty: no Slurm.
  SlurmSettings() = default;
  /// Lines of "NAME = VALUE"; others are left out, as are values "(null)" and "N/A".
  explicit SlurmSettings(std::string_view text);

  /// Empty if there is no such setting.
  [[nodiscard]] std::string get(std::string_view name) const;
  [[nodiscard]] bool empty() const { return values_.empty(); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// Checks the parts of Slurm's configuration that matter to Huddle: binding, selection of cores,
/// MPI's start, accounting of energy.
std::vector<Finding> check_slurm(const SlurmSettings& settings);

/// Warns where Slurm hides users' jobs from each other (PrivateData) and the policy shows what they
/// ran; nothing where both agree.
std::vector<Finding> check_privacy(const SlurmSettings& settings, const Policy& policy);

}  // namespace huddle::doctor
