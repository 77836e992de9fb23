#include "profiles/energyd/daemon/hidden_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::energyd {
namespace {

// The options of what is mounted at /proc last. A line of the file:
// "21 29 0:20 / /proc rw,nosuid shared:5 - proc proc rw,gid=4,hidepid=invisible"
std::string options_of_proc(const std::filesystem::path& mounts) {
  std::string options;
  std::ifstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    const auto separator = line.find(" - proc ");
    if (separator == std::string::npos || line.find(" /proc ") > separator) continue;
    options = line.substr(line.rfind(' ') + 1);
  }
  return options;
}

// "hidepid=invisible"; empty if there is no such option.
std::string_view option_in(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    const std::string_view option = take_until(options, ',');
    if (option.starts_with(name)) return option;
  }
  return {};
}

std::string advice_for(std::string_view hides, std::string_view group) {
  // A mount of that kind looks at no group.
  const bool has_group = !group.empty() && hides != "hidepid=ptraceable" && hides != "hidepid=4";
  const std::string_view name = has_group ? group.substr(group.find('=') + 1) : "GROUP";
  return fmt::format(
      "{}put the lines [Service] and SupplementaryGroups={} into a drop-in by systemctl edit "
      "huddle-energyd, and restart it; see huddle-energyd(8)",
      has_group ? "" : "mount /proc with hidepid=2,gid=GROUP for a group of yours, ", name);
}

}  // namespace

std::optional<DaemonTrouble> why_steps_are_hidden(const std::filesystem::path& proc) {
  constexpr std::uint32_t kInit = 1;  // is always there, and root's
  if (processes::status_of(kInit, proc)) return std::nullopt;
  const std::string options = options_of_proc(proc / "self/mountinfo");
  const std::string_view hides = option_in(options, "hidepid=");
  return DaemonTrouble{
      fmt::format("/proc{} hides other users' processes from huddle-energyd, so it sees no steps, "
                  "and no job gets to know its energy",
                  hides.empty() ? "" : fmt::format(", which is mounted with {},", hides)),
      advice_for(hides, option_in(options, "gid="))};
}

}  // namespace huddle::energyd
