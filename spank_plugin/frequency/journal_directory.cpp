#include "spank_plugin/frequency/journal_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>
#include <utility>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle::frequency {
namespace {

constexpr const char* kJournal = "frequencies";
constexpr const char* kNewJournal = "frequencies.new";
constexpr const char* kBrokenJournal = "frequencies.broken";

files::OwnedDescriptor open_directory(const std::filesystem::path& path) {
  return files::OwnedDescriptor(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void check_owner(const std::filesystem::path& path, int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw SystemError("look at", path.string(), errno);
  if (status.st_uid != ::geteuid())
    throw Error(fmt::format("the journal's directory {} belongs to user {}, expected {}",
                            path.string(), status.st_uid, ::geteuid()));
  // A user who can open it, if only to read, can also hold its lock for ever.
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw Error(
        fmt::format("the journal's directory {} has mode {:o}, expected one that nobody else may "
                    "open, such as 700",
                    path.string(), status.st_mode & 07777));
}

// flock() alone could wait for ever.
void lock(const std::filesystem::path& path, int descriptor, std::chrono::milliseconds patience) {
  constexpr std::chrono::microseconds kPause{500};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw SystemError("lock", path.string(), errno);
    if (std::chrono::steady_clock::now() >= deadline)
      throw JournalLocked(fmt::format("{} stays locked by another process for {} ms", path.string(),
                                      patience.count()));
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

std::optional<JournalDirectory> JournalDirectory::open(const std::filesystem::path& path,
                                                       IfAbsent if_absent,
                                                       std::chrono::milliseconds patience) {
  files::OwnedDescriptor opened = open_directory(path);
  if (!opened.valid() && errno == ENOENT) {
    if (if_absent == IfAbsent::kLeave) return std::nullopt;
    if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      throw SystemError("make the directory", path.string(), errno);
    opened = open_directory(path);
  }
  if (!opened.valid()) throw SystemError("open the directory", path.string(), errno);
  check_owner(path, opened.number());
  lock(path, opened.number(), patience);
  return JournalDirectory(path, std::move(opened));
}

std::optional<JournalDirectory> JournalDirectory::open_unlocked(const std::filesystem::path& path) {
  files::OwnedDescriptor opened = open_directory(path);
  if (!opened.valid() && errno == ENOENT) return std::nullopt;
  if (!opened.valid()) throw SystemError("open the directory", path.string(), errno);
  check_owner(path, opened.number());
  return JournalDirectory(path, std::move(opened));
}

std::filesystem::path JournalDirectory::file() const {
  return path_ / kJournal;
}

std::optional<std::string> JournalDirectory::read() const {
  const files::OpenFile journal(
      ::openat(directory_.number(), kJournal, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
      file().string());
  if (journal.descriptor() < 0) {
    if (errno == ENOENT) return std::nullopt;
    throw SystemError("open", file().string(), errno);
  }
  const struct stat status = journal.status();
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) > kMostJournalBytes)
    throw Error(fmt::format("{} is no regular file of at most {} bytes", file().string(),
                            kMostJournalBytes));
  return journal.read(static_cast<std::size_t>(status.st_size));
}

void JournalDirectory::write(std::string_view text) const {
  if (text.size() > kMostJournalBytes)  // what could not be read again would never be put back
    throw Error(fmt::format("{} would have {} bytes, expected at most {}", file().string(),
                            text.size(), kMostJournalBytes));
  ::unlinkat(directory_.number(), kNewJournal, 0);  // of a hook that was killed
  const files::OpenFile fresh(
      ::openat(directory_.number(), kNewJournal,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR),
      file().string());
  if (fresh.descriptor() < 0) throw SystemError("write", file().string(), errno);
  try {
    fresh.write(text);
    if (::fsync(fresh.descriptor()) != 0) throw SystemError("write", file().string(), errno);
    if (::renameat(directory_.number(), kNewJournal, directory_.number(), kJournal) != 0)
      throw SystemError("replace", file().string(), errno);
  } catch (...) {
    ::unlinkat(directory_.number(), kNewJournal, 0);
    throw;
  }
  if (::fsync(directory_.number()) != 0) throw SystemError("write", path_.string(), errno);
}

void JournalDirectory::remove() const {
  if (::unlinkat(directory_.number(), kJournal, 0) != 0 && errno != ENOENT)
    throw SystemError("remove", file().string(), errno);
}

std::filesystem::path JournalDirectory::set_aside() const {
  if (::renameat(directory_.number(), kJournal, directory_.number(), kBrokenJournal) != 0)
    throw SystemError("rename", file().string(), errno);
  return path_ / kBrokenJournal;
}

}  // namespace huddle::frequency
