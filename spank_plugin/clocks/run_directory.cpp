#include "spank_plugin/clocks/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSlurmdMark = "slurmd";

int open_run_directory(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void check_is_own(const fs::path& path, const struct stat& status) {
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Error(
        fmt::format("{} belongs to user {} and has mode {:o}, expected one of user {} that "
                    "nobody else may write to",
                    path.string(), status.st_uid, status.st_mode & 07777, ::geteuid()));
}

OpenFile checked_directory(const fs::path& path, int descriptor) {
  return {descriptor, path.string()};
}

// The directory, made if it is not there.
int made_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH) != 0 &&
      errno != EEXIST)
    throw SystemError("make the directory", path.string(), errno);
  const int descriptor = open_run_directory(path);
  if (descriptor < 0) throw SystemError("open the directory", path.string(), errno);
  return descriptor;
}

std::string name_of_job(std::uint32_t job) {
  return fmt::format("job.{}", job);
}

struct flock whole_file(short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

void make_run_directory(const fs::path& run) {
  const OpenFile directory = checked_directory(run, made_directory(run));
  check_is_own(run, directory.status());
}

void mark_this_slurmd(const fs::path& run) {
  const OpenFile directory = checked_directory(run, made_directory(run));
  check_is_own(run, directory.status());
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
  const OpenFile directory(open_run_directory(run), run.string());
  if (directory.descriptor() < 0) return false;
  const OpenFile mark(
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

void keep_job_scope(const fs::path& run, std::uint32_t job, const JobScope& scope) {
  const OpenFile directory = checked_directory(run, made_directory(run));
  check_is_own(run, directory.status());
  const std::string name = name_of_job(job);
  const std::string fresh = name + ".new";
  ::unlinkat(directory.descriptor(), fresh.c_str(), 0);
  const OpenFile file(
      ::openat(directory.descriptor(), fresh.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR),
      (run / fresh).string());
  if (file.descriptor() < 0) throw SystemError("write", (run / fresh).string(), errno);
  file.write(fmt::format("{}\n{}\n", scope.partition, scope.account));
  if (::renameat(directory.descriptor(), fresh.c_str(), directory.descriptor(), name.c_str()) != 0)
    throw SystemError("rename", (run / fresh).string(), errno);
}

std::optional<JobScope> job_scope(const fs::path& run, std::uint32_t job) {
  constexpr std::size_t kMostBytes = 4096;
  const OpenFile directory(open_run_directory(run), run.string());
  if (directory.descriptor() < 0) return std::nullopt;
  check_is_own(run, directory.status());
  const std::string name = name_of_job(job);
  const OpenFile file(::openat(directory.descriptor(), name.c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
                      (run / name).string());
  if (file.descriptor() < 0) return std::nullopt;
  check_is_own(run / name, file.status());
  const std::string text = file.read(kMostBytes);
  const auto first = text.find('\n');
  const auto second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return JobScope{text.substr(0, first), text.substr(first + 1, second - first - 1)};
}

void forget_job_scope(const fs::path& run, std::uint32_t job) noexcept {
  try {
    ::unlink((run / name_of_job(job)).c_str());
  } catch (...) {  // no memory for the name
  }
}

}  // namespace huddle
