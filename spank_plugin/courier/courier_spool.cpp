#include "spank_plugin/courier/courier_spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/separate_process.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMemory = "/dev/shm";
// A job's end waits for no more than that, and no longer: whoever made more of them, or larger
// ones, waits for the next sweep.
constexpr std::size_t kMostSpools = 64;
constexpr std::chrono::seconds kMostTime{2};

std::string node_name() {
  std::array<char, 256> node{};
  if (::gethostname(node.data(), node.size() - 1) != 0) node = {'?'};
  return node.data();
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whose a spool is, by its name.
struct SpoolName {
  uid_t user = 0;
  pid_t slurmstepd = 0;
};

// Only of this node.
std::optional<SpoolName> parse_name(std::string_view name, std::string_view node) {
  constexpr std::string_view kPrefix = "huddle-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const std::size_t first = name.find('-');
  const std::size_t last = name.rfind('-');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const auto user = number_in<uid_t>(name.substr(0, first));
  const auto slurmstepd = number_in<pid_t>(name.substr(last + 1));
  const std::string_view place = name.substr(first + 1, last - first - 1);  // NODE-STEP
  if (!user || !slurmstepd || *slurmstepd <= 0 || place.rfind('-') != node.size() ||
      !place.starts_with(node))
    return std::nullopt;
  return SpoolName{*user, *slurmstepd};
}

// The spool stays until a process that took its number since has ended, too.
bool is_alive(pid_t process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

bool belongs_to(const fs::path& spool, uid_t user) {
  struct stat status {};
  return ::lstat(spool.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == user;
}

// In a process of its own, which never gets root's rights back, and ends when it takes too long.
bool remove_as(uid_t user, const fs::path& spool) {
  ::alarm(60);
  const gid_t group = user == 0 ? 0 : 65534;  // what is the user's own needs no group's rights
  if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setresgid(group, group, group) != 0 ||
                           ::setresuid(user, user, user) != 0))
    throw SystemError("take the rights of user", fmt::format("{}", user), errno);
  const OwnedDescriptor folder(
      ::open(spool.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid() || ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0) return false;
  std::error_code failure;
  fs::remove_all(spool, failure);
  return !failure;
}

}  // namespace

fs::path spool_of(std::string_view step, uid_t user) {
  return fmt::format("{}/huddle-{}-{}-{}-{}", kMemory, user, node_name(), step, ::getpid());
}

bool has_spools(std::uint32_t job, uid_t user) {
  const std::string begin = fmt::format("huddle-{}-{}-{}.", user, node_name(), job);
  return std::ranges::any_of(names_in(kMemory),
                             [&](const std::string& name) { return name.starts_with(begin); });
}

std::size_t remove_left_spools(const fs::path& memory) {
  const std::string node = node_name();
  const auto deadline = std::chrono::steady_clock::now() + kMostTime;
  std::size_t tried = 0;
  std::size_t removed = 0;
  for (const std::string& name : names_in(memory)) {
    const auto spool = parse_name(name, node);
    if (!spool || is_alive(spool->slurmstepd) || !belongs_to(memory / name, spool->user)) continue;
    if (++tried > kMostSpools || std::chrono::steady_clock::now() > deadline) break;
    try {
      const auto done = in_separate_process(
          [&] { return std::string(remove_as(spool->user, memory / name) ? "removed" : ""); },
          kMostTime);
      if (done && !done->empty()) ++removed;
    } catch (const SystemError&) {
      throw;
    } catch (const Error&) {  // its own rights do not suffice
    }
  }
  return removed;
}

}  // namespace huddle
