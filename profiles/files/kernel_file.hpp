#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace huddle::files {

/// Reads a file of /sys or /proc, whose true size is known only at its end. Returns how many bytes
/// are in `buffer`, or a negative errno value; what is longer than `size` is cut. Never waits for a
/// FIFO's writer, allocates nothing and, unlike read(2) and close(2) of the C library, is no place
/// where a thread can be cancelled: so it can be called in the midst of somebody's program. Leaves
/// errno as it was.
inline long read_kernel_file(const char* path, char* buffer, std::size_t size) noexcept {
  const int kept = errno;
  long filled = 0;
  const auto file = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0));
  if (file < 0) filled = -errno;
  while (file >= 0 && static_cast<std::size_t>(filled) < size) {
    const long got =
        ::syscall(SYS_read, file, buffer + filled, size - static_cast<std::size_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) filled = -errno;
    if (got <= 0) break;
    filled += got;
  }
  if (file >= 0) ::syscall(SYS_close, file);
  errno = kept;
  return filled;
}

}  // namespace huddle::files
