// Shows Slurm a machine that has cgroups of version 2 alone.
//
// Preloaded around slurmd on the nodes of a cluster with --cgroups 2. Their processes are also in
// the hierarchies of version 1 that this machine may have, of which no node sees anything; but the
// kernel names them in /proc/PID/cgroup, and then Slurm's cgroup/v2 does not start ("Hybrid mode is
// not supported"). What opens such a file here gets the line of version 2 alone.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int is_list_of_cgroups(const char* path) {
  static const char end[] = "/cgroup";
  const size_t length = strlen(path);
  return strncmp(path, "/proc/", 6) == 0 && length > sizeof end &&
         strcmp(path + length - (sizeof end - 1), end) == 0;
}

// Returns a descriptor, or -1 where the file has no such line or can't be read.
static int line_of_version_2(const char* path) {
  char text[8192];
  const int list = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (list < 0) return -1;
  const ssize_t size = read(list, text, sizeof text - 1);
  close(list);
  if (size <= 0) return -1;
  text[size] = '\0';
  const char* line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
  if (line == NULL) return -1;
  if (*line == '\n') ++line;
  const int copy = memfd_create("cgroup", MFD_CLOEXEC);
  const size_t length = strlen(line);
  if (copy >= 0 && write(copy, line, length) == (ssize_t)length && lseek(copy, 0, SEEK_SET) == 0)
    return copy;
  if (copy >= 0) close(copy);
  return -1;
}

typedef int (*open_t)(const char* path, int flags, ...);

static int open_as(const char* name, const char* path, int flags, mode_t mode) {
  const int shown = is_list_of_cgroups(path) ? line_of_version_2(path) : -1;
  if (shown >= 0) return shown;
  open_t real = (open_t)dlsym(RTLD_NEXT, name);
  return real(path, flags, mode);
}

#define SHOWN __attribute__((visibility("default")))

SHOWN int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_as("open", path, flags, mode);
}

SHOWN int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_as("open64", path, flags, mode);
}
