#include "profiles/processes/slurm_cgroups.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "profiles/files/kernel_file.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::processes {
namespace {

constexpr std::string_view kStep = "step_";
constexpr std::string_view kJob = "job_";

std::string beginning_of(const std::filesystem::path& path) {
  std::array<char, 4096> text{};
  const long size = files::read_kernel_file(path.c_str(), text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<long>(size, 0))};
}

// Calls act(folder, end) with each folder of a path and where it ends, until that returns true.
template <class Act>
bool any_folder(std::string_view path, Act act) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (act(path.substr(begin, end - begin), end)) return true;
    begin = end + 1;
  }
  return false;
}

// The four numbers of "Uid:\t0\t0\t0\t0": real, effective, saved, for files. slurmstepd lays aside
// its effective one at times.
bool is_roots(std::string_view status) {
  constexpr std::string_view kUsers = "\nUid:\t";
  const auto at = status.find(kUsers);
  return at != std::string_view::npos && status.substr(at + kUsers.size()).starts_with("0\t");
}

}  // namespace

std::optional<std::string_view> step_of_folder(std::string_view folder) {
  if (!folder.starts_with(kStep)) return std::nullopt;
  folder.remove_prefix(kStep.size());
  // "0", "0+1", "batch", "TBD", but not "0.slice".
  const auto is_letter = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+';
  };
  if (folder.empty() || !std::all_of(folder.begin(), folder.end(), is_letter)) return std::nullopt;
  return folder;
}

std::optional<std::uint32_t> job_of_folder(std::string_view folder) {
  if (!folder.starts_with(kJob)) return std::nullopt;
  return number_in<std::uint32_t>(folder.substr(kJob.size()));
}

bool is_of_a_job(std::string_view path) {
  return any_folder(path, [](std::string_view folder, std::size_t) {
    return step_of_folder(folder) || job_of_folder(folder);
  });
}

std::string step_group(std::string_view of_slurmstepd, std::string_view step) {
  std::string group;
  std::string_view last;
  any_folder(of_slurmstepd, [&](std::string_view folder, std::size_t end) {
    last = folder;
    if (!step_of_folder(folder)) return false;
    group = of_slurmstepd.substr(0, end);
    return true;
  });
  if (group.empty() && job_of_folder(last)) {
    group = of_slurmstepd;
    group.append("/").append(kStep).append(step);
  }
  return group;
}

bool is_within(std::string_view path, std::string_view group) {
  return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
}

// Also "slurmstepd: [17.0 stepmgr]".
std::optional<std::uint32_t> job_of_slurmstepd(std::uint32_t pid, std::string_view step,
                                               const std::filesystem::path& proc) {
  constexpr std::string_view kTitle = "slurmstepd: [";
  const std::filesystem::path process = proc / std::to_string(pid);
  const std::string title = beginning_of(process / "cmdline");
  if (!title.starts_with(kTitle) || !is_roots(beginning_of(process / "status")))
    return std::nullopt;
  std::string_view rest = std::string_view(title).substr(kTitle.size());
  const std::string_view job = take_until(rest, '.');
  if (rest.substr(0, rest.find_first_of(" ]")) != step) return std::nullopt;
  return number_in<std::uint32_t>(job);
}

}  // namespace huddle::processes
