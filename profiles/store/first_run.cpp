#include "profiles/store/first_run.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <string>
#include <system_error>

#include "profiles/files/open_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/store/unreviewed_runs.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;
using TimePoint = std::chrono::system_clock::time_point;

fs::path claim_of(const fs::path& plan) {
  return plan.parent_path() / (plan.stem().string() + ".first");
}

bool make(const fs::path& claim) {
  const int made = ::open(claim.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (made >= 0) {
    ::close(made);
    return true;
  }
  if (errno == EEXIST) return false;
  throw SystemError("make", claim.string(), errno);
}

// What nobody of this user can have made: it could never be taken over.
bool is_no_claim(const struct stat& status) {
  return !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
         (status.st_mode & S_IRUSR) == 0;
}

bool is_damaged(const fs::path& claim) {
  struct stat status {};
  return ::lstat(claim.c_str(), &status) == 0 && is_no_claim(status);
}

// Whether a claim of that age is too old to count, and no job that follows the plan has begun.
bool has_lapsed(const fs::path& plan, const struct stat& claim, TimePoint now) {
  const auto made = std::chrono::system_clock::from_time_t(claim.st_mtime);
  return now - made > kFirstRunPatience && unreviewed_runs(plan).empty();
}

// Renews a claim that has lapsed. Of several that find it so one does: they look one after the
// other, and whoever comes later finds it renewed.
bool take_over(const fs::path& plan, TimePoint now) {
  const fs::path claim = claim_of(plan);
  const OpenFile file(::open(claim.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW), claim.string());
  if (file.descriptor() < 0 || ::flock(file.descriptor(), LOCK_EX) != 0) return false;
  const struct stat status = file.status();
  if (status.st_nlink == 0 || !has_lapsed(plan, status, now)) return false;
  const timespec renewed{std::chrono::system_clock::to_time_t(now), 0};
  const std::array<timespec, 2> times{renewed, renewed};
  return ::futimens(file.descriptor(), times.data()) == 0;
}

}  // namespace

bool claim_first_run(const fs::path& plan, TimePoint now) {
  const fs::path claim = claim_of(plan);
  if (make(claim)) return true;
  if (!is_damaged(claim)) return take_over(plan, now);
  clear_name(claim);
  return make(claim);
}

bool first_run_is_claimed(const fs::path& plan, TimePoint now) {
  try {
    struct stat claim {};
    return ::lstat(claim_of(plan).c_str(), &claim) == 0 && !is_no_claim(claim) &&
           !has_lapsed(plan, claim, now);
  } catch (const std::exception&) {  // the folder can't be read
    return false;
  }
}

void release_first_run(const fs::path& plan) noexcept {
  std::error_code ignored;
  fs::remove(claim_of(plan), ignored);
}

}  // namespace huddle
