#include "profiles/files/own_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "profiles/files/detail/temporary_name.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::files {
namespace {

// A FIFO does not wait for its other end, and is no file to lock and write.
OwnedDescriptor open_regular(const std::filesystem::path& path) {
  OwnedDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status {};
  if (!file.valid() || (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode)))
    return file;
  file.close();
  errno = EINVAL;
  return {};
}

}  // namespace

std::string read_own_file(const std::filesystem::path& path, std::uint64_t limit) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW),
                      path.string());
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

void make_way(const std::filesystem::path& path) noexcept {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) clear_name(path);
}

OwnedDescriptor open_own_file(const std::filesystem::path& path) {
  OwnedDescriptor file = open_regular(path);
  const bool taken = !file.valid() && (errno == EISDIR || errno == ELOOP || errno == EACCES ||
                                       errno == EINVAL || errno == ENXIO);
  if (taken) {
    clear_name(path);
    file = open_regular(path);
  }
  if (!file.valid()) throw SystemError("make", path.string(), errno);
  return file;
}

void clear_name(const std::filesystem::path& path) noexcept {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || ::rmdir(path.c_str()) == 0) return;
  try {
    static_cast<void>(std::rename(path.c_str(), temporary_name(path).c_str()));
  } catch (...) {  // no memory for a name
  }
}

}  // namespace huddle::files
