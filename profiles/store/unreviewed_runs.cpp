#include "profiles/store/unreviewed_runs.hpp"

#include <algorithm>

#include "profiles/files/folder_names.hpp"

namespace huddle {

std::vector<std::filesystem::path> unreviewed_runs(const std::filesystem::path& plan) {
  std::vector<std::filesystem::path> marks;
  const std::string prefix = unreviewed_run_path(plan, "").filename().string();
  for (const std::string& name : names_in(plan.parent_path()))
    if (name.starts_with(prefix)) marks.push_back(plan.parent_path() / name);
  std::sort(marks.begin(), marks.end());
  return marks;
}

}  // namespace huddle
