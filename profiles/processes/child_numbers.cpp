#include "profiles/processes/child_numbers.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/kernel_file.hpp"
#include "profiles/processes/process_identity.hpp"

namespace huddle::processes {
namespace {

std::optional<std::uint32_t> pid_in(std::string_view text) {
  std::uint32_t pid = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return pid;
}

// The pids of a file task/TID/children; false if this kernel has none.
bool add_children(const std::filesystem::path& file, std::vector<std::uint32_t>& children) {
  std::array<char, std::size_t{64} << 10U> text{};
  const long size = files::read_kernel_file(file.c_str(), text.data(), text.size());
  if (size < 0) return false;
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  while (!rest.empty()) {
    const auto space = rest.find(' ');
    if (const auto pid = pid_in(rest.substr(0, space))) children.push_back(*pid);
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space + 1);
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> children_of(std::uint32_t pid, const std::filesystem::path& proc) {
  std::vector<std::uint32_t> children;
  const std::filesystem::path threads = proc / std::to_string(pid) / "task";
  bool known = false;
  // Each thread has the children that it forked.
  for (const std::string& thread : files::names_in(threads))
    known = add_children(threads / thread / "children", children) || known;
  if (known) return children;
  for (const std::string& name : files::names_in(proc)) {  // a kernel without CONFIG_PROC_CHILDREN
    const auto number = pid_in(name);
    const auto status = number ? status_of(*number, proc) : std::nullopt;
    if (status && status->parent == pid) children.push_back(*number);
  }
  return children;
}

}  // namespace huddle::processes
