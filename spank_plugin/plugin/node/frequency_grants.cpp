#include "spank_plugin/plugin/node/frequency_grants.hpp"

#include <fmt/format.h>
#include <grp.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/detached/run_directory.hpp"

namespace huddle::plugin {
namespace {

// Nothing if there is no such group. Throws SystemError if nobody can say: a group may be one that
// is refused.
std::optional<gid_t> number_of_group(const std::string& name) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20U;  // a group's members are listed with it
  for (std::size_t size = std::size_t{16} << 10U;; size *= 4) {
    std::vector<char> memory(size);
    group entry{};
    group* found = nullptr;
    const int failure = ::getgrnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found);
    if (failure == ERANGE && size < kMostBytes) continue;
    if (found != nullptr) return found->gr_gid;
    if (failure == 0 || failure == ENOENT || failure == ESRCH) return std::nullopt;
    throw SystemError("look up the group", name, failure);
  }
}

// The user's groups that the policy has a table for, by what Slurm says of the job.
std::vector<std::string> groups_of(spank_t spank, const Policy& policy) {
  if (policy.groups.empty()) return {};
  gid_t* supplementary = nullptr;
  int count = 0;
  if (spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &supplementary, &count) != ESPANK_SUCCESS)
    count = 0;
  std::set<gid_t> numbers(supplementary, supplementary + count);
  numbers.insert(spank_item_of<gid_t>(spank, S_JOB_GID, "job's group"));
  std::vector<std::string> names;
  for (const auto& [name, rules] : policy.groups)
    if (const auto number = number_of_group(name); number && numbers.contains(*number))
      names.push_back(name);
  return names;
}

}  // namespace

Policy policy_for_job(spank_t spank, const Policy& site) {
  SubmitterIdentity submitter;
  submitter.groups = groups_of(spank, site);
  if (site.frequencies_depend_on_job()) {
    const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
    const auto scope = detached::job_scope(detached::kRunDirectory, job);
    if (!scope)
      throw Error(
          fmt::format("huddle.toml's tables of partitions and accounts decide about frequencies, "
                      "and no prolog has left those of job {} in {}: has slurmd been restarted "
                      "since the plugin was installed?",
                      job, detached::kRunDirectory));
    submitter.partitions = {scope->partition};
    submitter.account = scope->account;
  }
  return site.for_submitter(submitter);
}

void check_slurmd() {
  if (!detached::slurmd_is_marked(detached::kRunDirectory))
    throw Error(
        fmt::format("slurmd runs without Huddle's plugin (no process holds {}/slurmd), and would "
                    "restore no frequency: restart slurmd on this node",
                    detached::kRunDirectory));
}

void keep_job_scope_for_steps(spank_t spank, const submission::Settings& settings) {
  Policy policy;
  try {
    policy = settings.trusted_policy();
  } catch (const Error&) {  // slurmd has reported it, and each job would do so again
    return;
  }
  if (!policy.grants_frequencies() || !policy.frequencies_depend_on_job()) return;
  const auto job = spank_item_of<std::uint32_t>(spank, S_JOB_ID, "job's number");
  // A variable of slurmd's, from the job's credential; users' variables have SPANK_ in front here.
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
    return std::string(value == nullptr ? "" : value);
  };
  detached::keep_job_scope(detached::kRunDirectory, job,
                           {variable("SLURM_JOB_PARTITION"), variable("SLURM_JOB_ACCOUNT")});
}

}  // namespace huddle::plugin
