#include "spank_plugin/courier/courier_spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>

#include "profiles/files/folder_names.hpp"
#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/processes/separate_process.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::courier {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMemory = "/dev/shm";
// Users fill the memory as they like: a job's end waits for no more than that, and no longer.
constexpr std::size_t kMostNames = std::size_t{1} << 16U;
constexpr std::size_t kMostSpoolsOfUser = 8;
constexpr std::chrono::milliseconds kMostTime{2000};
constexpr std::chrono::milliseconds kMostTimeOfSpool{250};

/// Whose a spool is, by its name.
struct SpoolName {
  uid_t user = 0;
  processes::ProcessIdentity slurmstepd;
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
  const auto slurmstepd = processes::identity_in(name.substr(last + 1));
  const std::string_view place = name.substr(first + 1, last - first - 1);  // NODE-STEP
  if (!user || !slurmstepd || place.rfind('-') != node.size() || !place.starts_with(node))
    return std::nullopt;
  return SpoolName{*user, *slurmstepd};
}

bool belongs_to(const fs::path& spool, uid_t user) {
  struct stat status {};
  return ::lstat(spool.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == user;
}

bool may_remove_of(uid_t user) {
  return ::geteuid() == 0 || ::geteuid() == user;
}

// In a process of its own, which ends when it takes too long. Root takes the effective rights
// alone: to a process that is the user's in all respects the user could send SIGSTOP.
bool remove_as(uid_t user, const fs::path& spool) {
  ::alarm(60);
  constexpr auto kAsItIs = static_cast<uid_t>(-1);
  const gid_t group = user == 0 ? 0 : 65534;  // what is the user's own needs no group's rights
  if (::geteuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setresgid(kAsItIs, group, kAsItIs) != 0 ||
       ::setresuid(kAsItIs, user, kAsItIs) != 0))
    throw SystemError("take the rights of user", fmt::format("{}", user), errno);
  const files::OwnedDescriptor folder(
      ::open(spool.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid() || ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0) return false;
  std::error_code failure;
  fs::remove_all(spool, failure);
  return !failure;
}

}  // namespace

fs::path spool_of(std::string_view step, uid_t user, const processes::ProcessIdentity& slurmstepd) {
  return fmt::format("{}/huddle-{}-{}-{}-{}", kMemory, user, processes::host_name(), step,
                     word_of(slurmstepd));
}

bool has_spools(std::uint32_t job, uid_t user) {
  const std::string begin = fmt::format("huddle-{}-{}-{}.", user, processes::host_name(), job);
  return std::ranges::any_of(files::names_in(kMemory, kMostNames),
                             [&](const std::string& name) { return name.starts_with(begin); });
}

std::size_t remove_left_spools(const fs::path& memory) {
  const std::string node = processes::host_name();
  const auto deadline = std::chrono::steady_clock::now() + kMostTime;
  std::map<uid_t, std::size_t> tried;
  std::size_t removed = 0;
  for (const std::string& name : files::names_in(memory, kMostNames)) {
    const auto spool = parse_name(name, node);
    if (!spool || !may_remove_of(spool->user) || processes::is_alive(spool->slurmstepd) ||
        !belongs_to(memory / name, spool->user))
      continue;
    if (std::chrono::steady_clock::now() > deadline) break;
    if (++tried[spool->user] > kMostSpoolsOfUser) continue;
    try {
      const auto done = processes::in_separate_process(
          [&] { return std::string(remove_as(spool->user, memory / name) ? "removed" : ""); },
          kMostTimeOfSpool);
      if (done && !done->empty()) ++removed;
    } catch (const SystemError&) {
      throw;
    } catch (const Error&) {  // its own rights do not suffice
    }
  }
  return removed;
}

}  // namespace huddle::courier
