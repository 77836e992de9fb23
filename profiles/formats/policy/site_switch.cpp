#include "profiles/formats/policy/site_switch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace huddle {

namespace fs = std::filesystem;

std::vector<fs::path> stop_files(const fs::path& policy_file) {
  std::vector<fs::path> files = {"/etc/slurm/huddle.stop",
                                 fs::path(policy_file).replace_extension(".stop")};
  if (files[1] == files[0]) files.pop_back();
  return files;
}

fs::path present_stop_file(const fs::path& policy_file) {
  const std::vector<fs::path> files = stop_files(policy_file);
  const auto found = std::find_if(files.begin(), files.end(), [](const fs::path& file) {
    return ::access(file.c_str(), F_OK) == 0;
  });
  return found == files.end() ? fs::path() : *found;
}

std::string why_switched_off(const Policy& policy, const fs::path& policy_file) {
  if (const fs::path file = present_stop_file(policy_file); !file.empty())
    return fmt::format("Huddle is switched off here: {} exists", file.string());
  if (!policy.enabled)
    return fmt::format("Huddle is switched off here: {} has enabled = false", policy_file.string());
  return {};
}

}  // namespace huddle
