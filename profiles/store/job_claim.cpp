#include "profiles/store/job_claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <string_view>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostClaimBytes = 65536;

// "login1:4711:998877".
void read_token(std::string_view text, JobClaim& claim) {
  const std::size_t start = text.rfind(':');
  const std::size_t process = start == std::string_view::npos ? start : text.rfind(':', start - 1);
  if (process == std::string_view::npos) return;
  claim.host = text.substr(0, process);
  claim.process.pid =
      number_in<std::uint32_t>(text.substr(process + 1, start - process - 1)).value_or(0);
  claim.process.started = number_in<std::uint64_t>(text.substr(start + 1)).value_or(0);
}

// A line for each of them, a word and its value. The name is whatever the user wrote, without line
// breaks; the job's number is added behind it.
std::string lines_of(const JobClaim& claim) {
  std::string name = claim.job_name;
  for (char& c : name)
    if (c == '\n' || c == '\0') c = ' ';
  return fmt::format("by {}\nmade {}\nname {}\n", claim.token(), text_of(claim.made), name);
}

std::optional<JobClaim> claim_in(std::string_view text) {
  JobClaim claim;
  bool dated = false;
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    const std::string_view word = take_until(value, ' ');
    if (word == "by") read_token(value, claim);
    if (word == "name") claim.job_name = value;
    if (word == "job") claim.job = number_in<std::uint64_t>(value).value_or(0);
    if (word != "made") continue;
    const auto made = parse_utc(value);
    if (made) claim.made = *made;
    dated = made.has_value();
  }
  if (!dated || claim.process.pid == 0) return std::nullopt;
  return claim;
}

// Stands for a file that holds no claim.
JobClaim unknown_claim(const struct stat& status) {
  JobClaim claim;
  claim.made = std::chrono::time_point_cast<UtcTime::duration>(
      std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec));
  return claim;
}

}  // namespace

std::string JobClaim::token() const {
  return fmt::format("{}:{}:{}", host, process.pid, process.started);
}

fs::path claim_beside(const fs::path& plan) {
  return plan.parent_path() / (plan.stem().string() + ".first");
}

JobClaim claim_of_this_process(const std::string& job_name) {
  JobClaim claim;
  claim.host = processes::host_name();
  claim.process = processes::own_identity();
  claim.made = utc_now();
  claim.job_name = job_name;
  return claim;
}

// Written under another name and linked: whoever sees it sees all of it.
bool take_claim(const fs::path& file, const JobClaim& claim) {
  static std::atomic<unsigned> number = 0;
  const fs::path whole = file.parent_path() / fmt::format(".{}.{}-{}-{}", file.filename().string(),
                                                          claim.host, claim.process.pid, ++number);
  files::AtomicFile written(whole);
  written.write(lines_of(claim));
  written.commit_soon();
  int linked = ::link(whole.c_str(), file.c_str());
  int why = errno;
  if (linked != 0 && why == EEXIST && !read_claim(file)) {
    files::clear_name(file);
    linked = ::link(whole.c_str(), file.c_str());
    why = errno;
  }
  ::unlink(whole.c_str());
  if (linked == 0) return true;
  if (why == EEXIST) return false;
  throw SystemError("make", file.string(), why);
}

std::optional<JobClaim> read_claim(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw SystemError("read", file.string(), errno);
  }
  if (!S_ISREG(status.st_mode)) return std::nullopt;  // a link or a folder claims nothing
  try {
    if (auto claim = claim_in(files::read_file(file, kMostClaimBytes))) return claim;
  } catch (const Error&) {  // removed meanwhile, or no file
  }
  return unknown_claim(status);
}

void name_claim(const fs::path& file, const std::string& token, std::uint64_t job) {
  const std::optional<JobClaim> claim = read_claim(file);
  if (!claim || claim->token() != token || claim->job != 0) return;
  const files::OpenFile open(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW),
                             file.string());
  if (open.descriptor() >= 0) open.write(fmt::format("job {}\n", job));
}

// One of several that find it over at once frees it, and none frees what another one has taken
// since: who looks holds the lock of the file, and it must still be there by that name.
void end_claim(const fs::path& file, const JobClaim& claim) noexcept {
  try {
    const files::OpenFile open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW),
                               file.string());
    if (open.descriptor() < 0 || ::flock(open.descriptor(), LOCK_EX) != 0) return;
    const struct stat status = open.status();
    struct stat present {};
    if (status.st_nlink == 0 || ::lstat(file.c_str(), &present) != 0 ||
        present.st_ino != status.st_ino)
      return;
    const std::optional<JobClaim> now = read_claim(file);
    if (now && now->token() == claim.token()) ::unlink(file.c_str());
  } catch (...) {  // whoever comes next finds it over as well
  }
}

std::optional<bool> is_being_submitted(const JobClaim& claim) {
  if (claim.host != processes::host_name()) return std::nullopt;
  return processes::is_alive(claim.process);
}

std::vector<std::filesystem::path> unreviewed_runs(const std::filesystem::path& plan) {
  std::vector<std::filesystem::path> marks;
  const std::string prefix = unreviewed_run_path(plan, "").filename().string();
  for (const std::string& name : files::names_in(plan.parent_path()))
    if (name.starts_with(prefix)) marks.push_back(plan.parent_path() / name);
  std::sort(marks.begin(), marks.end());
  return marks;
}

}  // namespace huddle::store
