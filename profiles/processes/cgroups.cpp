#include "profiles/processes/cgroups.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "profiles/files/kernel_file.hpp"

namespace huddle::processes {
namespace {

namespace fs = std::filesystem;

std::string text_in(const fs::path& path) {
  std::array<char, std::size_t{64} << 10U> text{};
  const long size = files::read_kernel_file(path.c_str(), text.data(), text.size());
  return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool lists(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Slurm names its groups so in both versions: /slurm/uid_1000/job_17/step_0, and
// /system.slice/slurmstepd.scope/job_17/step_0/slurm.
bool is_of_a_job(const std::string& path) {
  return path.find("/job_") != std::string::npos;
}

}  // namespace

// A line: "36 25 0:31 / /sys/fs/cgroup/freezer rw shared:9 - cgroup cgroup rw,freezer".
Cgroups::Cgroups(fs::path proc) : proc_(std::move(proc)) {
  constexpr std::size_t kPlace = 4;
  for (const std::string& line : parts_of(text_in(proc_ / "self/mountinfo"), '\n')) {
    const auto separator = line.find(" - cgroup");
    if (separator == std::string::npos) continue;
    const auto fields = parts_of(line.substr(0, separator), ' ');
    const auto kind = parts_of(line.substr(separator + 3), ' ');
    if (fields.size() <= kPlace || kind.size() < 3) continue;
    const bool second = kind[0] == "cgroup2";
    mounts_.push_back(
        {fields[kPlace], second ? std::vector<std::string>() : parts_of(kind[2], ',')});
  }
}

const Cgroups::Mount* Cgroups::mount_of(const std::string& controllers) const {
  const auto names = parts_of(controllers, ',');
  for (const Mount& mount : mounts_) {
    if (names.empty() && mount.controllers.empty()) return &mount;
    if (!names.empty() && lists(mount.controllers, names[0])) return &mount;
  }
  return nullptr;
}

// Lines "6:freezer:/slurm/uid_0/job_17" and "0::/".
std::vector<Cgroups::Membership> Cgroups::memberships_of(const std::string& pid) const {
  std::vector<Membership> memberships;
  for (const std::string& line : parts_of(text_in(proc_ / pid / "cgroup"), '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (const Mount* mount = mount_of(line.substr(first + 1, second - first - 1)))
      memberships.push_back({mount, line.substr(second + 1)});
  }
  return memberships;
}

bool Cgroups::is_frozen(std::uint32_t pid) const {
  for (const Membership& of : memberships_of(std::to_string(pid))) {
    const fs::path group = of.mount->place / fs::path(of.path).relative_path();
    if (of.mount->controllers.empty()) {
      if (text_in(group / "cgroup.events").find("frozen 1") != std::string::npos) return true;
    } else if (lists(of.mount->controllers, "freezer")) {
      if (text_in(group / "freezer.state").starts_with("FROZEN")) return true;
    }
  }
  return false;
}

std::vector<std::string> Cgroups::leave_those_of_jobs() const {
  std::vector<std::string> kept;
  for (const Membership& of : memberships_of("self")) {
    if (!is_of_a_job(of.path)) continue;
    const fs::path root = of.mount->place / "cgroup.procs";
    const int file = ::open(root.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    constexpr std::string_view kThisProcess = "0";
    if (file < 0 || ::write(file, kThisProcess.data(), kThisProcess.size()) < 0)
      kept.push_back(of.mount->place.string() + of.path);
    if (file >= 0) ::close(file);
  }
  return kept;
}

}  // namespace huddle::processes
