#include "spank_plugin/plugin/submitter_identity.hpp"

#include <grp.h>
#include <unistd.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/plugin/partition_nodes.hpp"

namespace huddle {
namespace {

std::vector<std::string> groups_of_this_process() {
  std::vector<gid_t> numbers(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(numbers.size()), numbers.data());
  numbers.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::vector<std::string> names;
  const auto add = [&](gid_t number) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one
    // thread
    if (const group* entry = ::getgrgid(number)) names.emplace_back(entry->gr_name);
  };
  for (const gid_t number : numbers) add(number);
  std::sort(names.begin(), names.end());
  add(::getegid());
  std::rotate(names.begin(), names.empty() ? names.end() : names.end() - 1, names.end());
  return names;
}

}  // namespace

SubmitterIdentity submitter_of_this_process(const SlurmOptions& options, const Policy& policy) {
  SubmitterIdentity submitter;
  if (!policy.partitions.empty()) submitter.partitions = partitions_of(options);
  if (!policy.accounts.empty()) submitter.account = options.get("account");
  if (!policy.groups.empty()) submitter.groups = groups_of_this_process();
  return submitter;
}

}  // namespace huddle
