#include "profiles/processes/cgroups.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "profiles/files/kernel_file.hpp"
#include "profiles/processes/slurm_cgroups.hpp"

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

bool takes_this_process(const fs::path& group) {
  const fs::path list = group / "cgroup.procs";
  const int file = ::open(list.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  constexpr std::string_view kThisProcess = "0";
  const bool taken = ::write(file, kThisProcess.data(), kThisProcess.size()) >= 0;
  ::close(file);
  return taken;
}

// Where Slurm keeps slurmstepds without a step: "system" beside the jobs; "" if there is none.
std::string waiting_place(std::string_view path) {
  const fs::path step = step_group(path, {});
  return step.empty() ? std::string() : (step.parent_path().parent_path() / "system").string();
}

}  // namespace

// Lines "6:freezer:/slurm/uid_0/job_17" and "0::/".
std::vector<CgroupPlace> cgroups_of(const std::string& process, const fs::path& proc) {
  std::vector<CgroupPlace> places;
  for (const std::string& line : parts_of(text_in(proc / process / "cgroup"), '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    places.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return places;
}

// A line: "36 25 0:31 / /sys/fs/cgroup/freezer rw shared:9 - cgroup cgroup rw,freezer".
Cgroups::Cgroups(fs::path proc) : proc_(std::move(proc)) {
  constexpr std::size_t kRoot = 3;
  constexpr std::size_t kPlace = 4;
  for (const std::string& line : parts_of(text_in(proc_ / "self/mountinfo"), '\n')) {
    const auto separator = line.find(" - cgroup");
    if (separator == std::string::npos) continue;
    const auto fields = parts_of(line.substr(0, separator), ' ');
    const auto kind = parts_of(line.substr(separator + 3), ' ');
    if (fields.size() <= kPlace || kind.size() < 3) continue;
    const bool second = kind[0] == "cgroup2";
    mounts_.push_back({fields[kRoot], fields[kPlace],
                       second ? std::vector<std::string>() : parts_of(kind[2], ',')});
  }
}

const Cgroups::Mount* Cgroups::mount_of(std::string_view controllers) const {
  const std::string_view first = controllers.substr(0, controllers.find(','));
  for (const Mount& mount : mounts_) {
    if (first.empty() && mount.controllers.empty()) return &mount;
    if (!first.empty() && lists(mount.controllers, first)) return &mount;
  }
  return nullptr;
}

std::optional<fs::path> Cgroups::top_of(std::string_view controllers) const {
  const Mount* mount = mount_of(controllers);
  return mount == nullptr ? std::nullopt : std::optional(mount->place);
}

std::optional<fs::path> Cgroups::folder_of(std::string_view controllers,
                                           std::string_view path) const {
  const Mount* mount = mount_of(controllers);
  // "/.." is outside of this process's namespace.
  if (mount == nullptr || is_within(path, "/..")) return std::nullopt;
  if (mount->root != "/") {
    if (!is_within(path, mount->root)) return std::nullopt;
    path.remove_prefix(mount->root.size());
  }
  const fs::path below = fs::path(path).relative_path();
  return below.empty() ? mount->place : mount->place / below;
}

bool Cgroups::is_frozen(std::uint32_t pid) const {
  for (const CgroupPlace& of : cgroups_of(std::to_string(pid), proc_)) {
    const auto group = folder_of(of.controllers, of.path);
    if (!group) continue;
    if (of.controllers.empty()) {
      if (text_in(*group / "cgroup.events").find("frozen 1") != std::string::npos) return true;
    } else if (lists(parts_of(of.controllers, ','), "freezer")) {
      if (text_in(*group / "freezer.state").starts_with("FROZEN")) return true;
    }
  }
  return false;
}

bool Cgroups::leave(const CgroupPlace& of, const Mount& mount) const {
  if (takes_this_process(mount.place)) return true;
  const std::string waiting = waiting_place(of.path);
  if (!of.controllers.empty() || waiting.empty()) return false;
  const auto folder = folder_of(of.controllers, waiting);
  return folder && takes_this_process(*folder);
}

std::vector<std::string> Cgroups::leave_those_of_jobs() const {
  std::vector<std::string> kept;
  for (const CgroupPlace& of : cgroups_of("self", proc_)) {
    const Mount* mount = mount_of(of.controllers);
    if (mount != nullptr && is_of_a_job(of.path) && !leave(of, *mount))
      kept.push_back(mount->place.string() + of.path);
  }
  return kept;
}

}  // namespace huddle::processes
