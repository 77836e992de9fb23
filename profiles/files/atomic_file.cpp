#include "profiles/files/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "profiles/files/detail/temporary_name.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::files {
namespace {

// Renaming over /dev/null or somebody's pipe would destroy it.
void check_replaceable(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(fmt::format("can't replace {}: it is not a regular file", path.string()));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, unsigned mode)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
  check_replaceable(path_);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       static_cast<mode_t>(mode));
  if (descriptor_ < 0) throw SystemError("create", path_.string(), errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw SystemError("write", path_.string(), errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::skip(std::uint64_t bytes) {
  const off_t end = ::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR);
  if (end < 0 || ::ftruncate(descriptor_, end) != 0)
    throw SystemError("write", path_.string(), errno);
}

void AtomicFile::finish(Durable durable) {
  if (durable == Durable::kYes && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
    throw SystemError("write", path_.string(), errno);
  if (::close(std::exchange(descriptor_, -1)) != 0)
    throw SystemError("write", path_.string(), errno);
}

void AtomicFile::commit() {
  finish(Durable::kYes);
  rename_into_place();
}

void AtomicFile::commit_soon() {
  finish(Durable::kNo);
  rename_into_place();
}

void AtomicFile::rename_into_place() {
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw SystemError("rename into place", path_.string(), errno);
  temporary_.clear();
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path.string());
  if (file.descriptor() < 0) throw SystemError("open", path.string(), errno);
  const struct stat status = file.status();
  if (!S_ISREG(status.st_mode))
    throw FormatError(path.string(), "the file", "something that is not a regular file",
                      "a regular file");
  if (static_cast<std::uint64_t>(status.st_size) > limit)
    throw FormatError(path.string(), "the file", fmt::format("{} bytes", status.st_size),
                      fmt::format("at most {} bytes", limit));
  return file.read(static_cast<std::size_t>(status.st_size));
}

}  // namespace huddle::files
