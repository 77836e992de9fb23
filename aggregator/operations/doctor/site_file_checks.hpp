#pragma once

// The checks of huddle doctor that look at a site's files: policy, machine document, model, journal
// and libraries.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/operations/doctor/finding.hpp"
#include "profiles/formats/policy/policy.hpp"

namespace huddle::doctor {

struct PolicyFile {
  std::filesystem::path file;
  /// Somebody named it: then it must exist.
  bool named = false;
};

/// A check of the policy, and the policy itself if it can be used.
struct ExaminedPolicy : Examined {
  std::optional<Policy> policy;
};

/// Why root must not follow, load or run that file: others could change it or put another in its
/// place (why_untrusted). Empty for other users than root, who run it with their own rights.
std::string why_root_must_not(const std::filesystem::path& file);

/// Reads the policy by the rules of the plugin, and says if it is right. Of one
/// that is not to be trusted there is no policy: nothing that it names is looked at.
ExaminedPolicy check_policy(const PolicyFile& file);

/// Says if Huddle is on here: no stop file exists, and the policy (absent: it can't be used) does
/// not say otherwise. Names the stop files that count.
Finding check_switch(const std::optional<Policy>& policy, const std::filesystem::path& policy_file);

/// Checks that the machine document can be read here; if this machine `runs_jobs`, that the
/// document describes it.
Examined check_machine(const Policy& policy, bool runs_jobs);

/// Checks that the model can be read here.
Examined check_model(const Policy& policy);

/// Checks that root can keep a journal of the frequencies it sets, and nobody else can write it.
Finding check_journal(const Policy& policy);

/// Checks that the program that watches over the clocks of limited steps is there, and root's
/// alone. Matters where the policy lets Huddle limit frequencies.
Finding check_watcher(const Policy& policy);

using OutputOf = std::function<std::string(const std::vector<std::string>& command)>;

/// For each MPI that the linker finds here, whether its recorder is there and can be loaded. As
/// root, `output_of` must run commands without root's rights.
std::vector<Finding> check_recorders(const Policy& policy, const OutputOf& output_of);

/// Checks that the library that lets mpirun follow a plan is there.
Finding check_mpirun_helper(const Policy& policy);

}  // namespace huddle::doctor
