#include "aggregator/commands/report/site_policy.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "aggregator/operations/doctor/plugstack.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

constexpr const char* kUsualPolicyFile = "/etc/slurm/huddle.toml";

}  // namespace

std::filesystem::path site_policy_file() {
  const char* configuration = std::getenv("SLURM_CONF");  // NOLINT(concurrency-mt-unsafe)
  const std::filesystem::path slurm =
      configuration != nullptr ? configuration : "/etc/slurm/slurm.conf";
  const std::string named = doctor::policy_in(slurm.parent_path() / "plugstack.conf");
  return named.empty() ? kUsualPolicyFile : named;
}

Policy load_site_policy() {
  const std::filesystem::path file = site_policy_file();
  try {
    return load_policy(file);
  } catch (const SystemError& error) {
    if (error.error_number() == ENOENT && file == kUsualPolicyFile) return Policy::defaults();
    throw;
  }
}

Policy site_policy(std::vector<std::string>& notes) {
  try {
    return load_policy(site_policy_file());
  } catch (const SystemError& error) {
    if (error.error_number() != ENOENT) notes.emplace_back(error.what());
  } catch (const Error& error) {
    notes.emplace_back(error.what());
  }
  return Policy::defaults();
}

}  // namespace huddle::cli
