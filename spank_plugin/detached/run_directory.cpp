#include "spank_plugin/detached/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::detached {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSlurmdMark = "slurmd";
constexpr mode_t kRights = 07777;

int open_run_directory(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void check_is_own(const fs::path& path, const struct stat& status) {
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(
        fmt::format("{} belongs to user {} and has mode {:o}, expected one of user {} that "
                    "nobody else may write to",
                    path.string(), status.st_uid, status.st_mode & kRights, ::geteuid()));
}

// A directory of this user's own, made if it is not there.
class OwnDirectory {
 public:
  OwnDirectory(const fs::path& path, mode_t mode)
      : file_(made_and_opened(path, mode), path.string()) {
    check_is_own(path, file_.status());
    // An earlier version of Huddle let everybody list it.
    if ((file_.status().st_mode & kRights) != mode && ::fchmod(descriptor(), mode) != 0)
      throw SystemError("change the rights of", path.string(), errno);
  }
  [[nodiscard]] int descriptor() const { return file_.descriptor(); }

 private:
  static int made_and_opened(const fs::path& path, mode_t mode) {
    if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST)
      throw SystemError("make the directory", path.string(), errno);
    const int descriptor = open_run_directory(path);
    if (descriptor < 0) throw SystemError("open the directory", path.string(), errno);
    return descriptor;
  }
  files::OpenFile file_;
};

struct OwnRunDirectory : OwnDirectory {
  explicit OwnRunDirectory(const fs::path& run) : OwnDirectory(run, S_IRWXU | S_IXGRP | S_IXOTH) {}
};

// A folder of its own, since who knows a job's number could ask whether its file is there.
fs::path scopes_in(const fs::path& run) {
  return run / "jobs";
}

struct flock whole_file(short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

void make_run_directory(const fs::path& run) {
  const OwnRunDirectory made(run);
}

void mark_this_slurmd(const fs::path& run) {
  const OwnRunDirectory directory(run);
  // Nobody else may open it: who can read it can lock it. The descriptor stays open, for ever.
  const int mark =
      ::openat(directory.descriptor(), kSlurmdMark,
               O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (mark < 0) throw SystemError("open", (run / kSlurmdMark).string(), errno);
  struct flock lock = whole_file(F_RDLCK);  // several slurmds on one machine have it at once
  if (::fcntl(mark, F_OFD_SETLK, &lock) != 0) {
    const int failure = errno;
    ::close(mark);
    throw SystemError("lock", (run / kSlurmdMark).string(), failure);
  }
}

bool slurmd_is_marked(const fs::path& run) {
  const files::OpenFile directory(open_run_directory(run), run.string());
  if (directory.descriptor() < 0) return false;
  const files::OpenFile mark(
      ::openat(directory.descriptor(), kSlurmdMark, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
      (run / kSlurmdMark).string());
  if (mark.descriptor() < 0) return false;
  try {
    check_is_own(run, directory.status());
    check_is_own(run / kSlurmdMark, mark.status());
  } catch (const Error&) {
    return false;
  }
  struct flock lock = whole_file(F_WRLCK);  // asks who is in the way, and locks nothing
  return ::fcntl(mark.descriptor(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

files::OwnedDescriptor hold_lock(const fs::path& run, const std::string& name,
                                 std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const OwnRunDirectory directory(run);
  files::OwnedDescriptor file(::openat(directory.descriptor(), name.c_str(),
                                       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                                       S_IRUSR | S_IWUSR));
  if (!file.valid()) throw SystemError("open", (run / name).string(), errno);
  while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= deadline)
      throw Error(fmt::format("others hold {} for longer than {} ms", (run / name).string(),
                              patience.count()));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return file;
}

void keep_job_scope(const fs::path& run, std::uint32_t job, const JobScope& scope) {
  const OwnRunDirectory made(run);
  const fs::path scopes = scopes_in(run);
  const OwnDirectory directory(scopes, S_IRWXU);
  const std::string name = std::to_string(job);
  const std::string fresh = name + ".new";
  ::unlinkat(directory.descriptor(), fresh.c_str(), 0);
  const files::OpenFile file(
      ::openat(directory.descriptor(), fresh.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR),
      (scopes / fresh).string());
  if (file.descriptor() < 0) throw SystemError("write", (scopes / fresh).string(), errno);
  file.write(fmt::format("{}\n{}\n", scope.partition, scope.account));
  if (::renameat(directory.descriptor(), fresh.c_str(), directory.descriptor(), name.c_str()) != 0)
    throw SystemError("rename", (scopes / fresh).string(), errno);
}

std::optional<JobScope> job_scope(const fs::path& run, std::uint32_t job) {
  constexpr std::size_t kMostBytes = 4096;
  const files::OpenFile above(open_run_directory(run), run.string());
  if (above.descriptor() < 0) return std::nullopt;
  check_is_own(run, above.status());
  const fs::path scopes = scopes_in(run);
  const files::OpenFile directory(open_run_directory(scopes), scopes.string());
  if (directory.descriptor() < 0) return std::nullopt;
  check_is_own(scopes, directory.status());
  const std::string name = std::to_string(job);
  const files::OpenFile file(::openat(directory.descriptor(), name.c_str(),
                                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
                             (scopes / name).string());
  if (file.descriptor() < 0) return std::nullopt;
  check_is_own(scopes / name, file.status());
  const std::string text = file.read(kMostBytes);
  const auto first = text.find('\n');
  const auto second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return JobScope{text.substr(0, first), text.substr(first + 1, second - first - 1)};
}

void forget_job_scope(const fs::path& run, std::uint32_t job) noexcept {
  try {
    ::unlink((scopes_in(run) / std::to_string(job)).c_str());
  } catch (...) {  // no memory for the name
  }
}

}  // namespace huddle::detached
