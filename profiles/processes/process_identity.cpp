#include "profiles/processes/process_identity.hpp"

#include <unistd.h>
#include <climits>

#include <array>
#include <charconv>
#include <string_view>

#include "profiles/files/kernel_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::processes {
namespace {

std::string content_of(const std::string& path) {
  std::array<char, 4096> text{};
  const long size = files::read_kernel_file(path.c_str(), text.data(), text.size());
  return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
}

// The word at `index` of what stands behind the process's name, which may hold anything.
std::string_view word_behind_name(std::string_view stat, std::size_t index) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > stat.size()) return {};
  std::string_view rest = stat.substr(name_end + 2);
  for (; index > 0; --index) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return {};
    rest.remove_prefix(space + 1);
  }
  return rest.substr(0, rest.find(' '));
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<ProcessStatus> status_of(std::uint32_t pid, const std::filesystem::path& proc) {
  constexpr std::size_t kState = 0;
  constexpr std::size_t kParent = 1;
  constexpr std::size_t kUserTime = 11;
  constexpr std::size_t kStart = 19;
  constexpr std::size_t kPu = 36;
  const std::string stat = content_of((proc / std::to_string(pid) / "stat").string());
  const std::string_view state = word_behind_name(stat, kState);
  ProcessStatus status;
  if (state.size() != 1 || !read_number(word_behind_name(stat, kParent), status.parent) ||
      !read_number(word_behind_name(stat, kStart), status.started))
    return std::nullopt;
  // User's and system's, of the process and of its children, one after the other.
  std::array<std::uint64_t, 4> ticks{};
  for (std::size_t i = 0; i < ticks.size(); ++i)
    if (!read_number(word_behind_name(stat, kUserTime + i), ticks[i])) return std::nullopt;
  static const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  status.cpu_time = {static_cast<double>(ticks[0] + ticks[1]) / ticks_per_second};
  status.cpu_time_of_ended_children = {static_cast<double>(ticks[2] + ticks[3]) / ticks_per_second};
  if (!read_number(word_behind_name(stat, kPu), status.pu)) status.pu = 0;
  status.state = state[0];
  return status;
}

std::optional<ProcessIdentity> identity_of(std::uint32_t pid) {
  const auto status = status_of(pid);
  if (!status || status->state == 'Z' || status->state == 'X') return std::nullopt;
  return ProcessIdentity{pid, status->started};
}

std::string word_of(const ProcessIdentity& process) {
  return std::to_string(process.pid) + '.' + std::to_string(process.started);
}

std::optional<ProcessIdentity> identity_in(std::string_view word) {
  const auto point = word.find('.');
  ProcessIdentity process;
  if (point == std::string_view::npos || !read_number(word.substr(0, point), process.pid) ||
      !read_number(word.substr(point + 1), process.started))
    return std::nullopt;
  return process;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

ProcessIdentity own_identity() {
  const auto identity = identity_of(static_cast<std::uint32_t>(::getpid()));
  if (!identity) throw Error("/proc does not show when this process was started");
  return *identity;
}

bool is_alive(const ProcessIdentity& process) {
  return identity_of(process.pid) == process;
}

std::string boot_id() {
  const std::string text = content_of("/proc/sys/kernel/random/boot_id");
  return text.substr(0, text.find('\n'));
}

}  // namespace huddle::processes
