#include "profiles/store/first_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

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

// Whether the claim is too old to count, and no job that follows the plan has begun.
bool has_lapsed(const fs::path& plan, TimePoint now) {
  std::error_code gone;
  const fs::file_time_type made = fs::last_write_time(claim_of(plan), gone);
  if (gone) return true;
  const auto age = now - std::chrono::file_clock::to_sys(made);
  return age > kFirstRunPatience && unreviewed_runs(plan).empty();
}

}  // namespace

bool claim_first_run(const fs::path& plan, TimePoint now) {
  const fs::path claim = claim_of(plan);
  if (make(claim)) return true;
  if (!has_lapsed(plan, now)) return false;
  // Of several that find it lapsed, the one that takes the old file away goes on.
  const fs::path lapsed = claim.string() + fmt::format("-{}", ::getpid());
  std::error_code failure;
  fs::rename(claim, lapsed, failure);
  if (failure) return false;
  fs::remove(lapsed, failure);
  return make(claim);
}

bool first_run_is_claimed(const fs::path& plan, TimePoint now) {
  try {
    return fs::exists(claim_of(plan)) && !has_lapsed(plan, now);
  } catch (const std::exception&) {  // the folder can't be read
    return false;
  }
}

void release_first_run(const fs::path& plan) noexcept {
  std::error_code ignored;
  fs::remove(claim_of(plan), ignored);
}

}  // namespace huddle
