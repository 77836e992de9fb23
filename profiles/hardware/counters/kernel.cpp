#include "profiles/hardware/counters/kernel.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "profiles/files/kernel_file.hpp"

namespace huddle::counters {
namespace {

// Where the descriptors of events begin: above what programs use, below the usual limit.
constexpr rlim_t kFirstDescriptor = 512;

// A program that gets signals all the time must not be held up.
constexpr int kMostTries = 10;

rlim_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

int with_high_number(int descriptor) {
  const auto first = static_cast<int>(std::min(descriptor_limit() / 2, kFirstDescriptor));
  const int high = ::fcntl(descriptor, F_DUPFD_CLOEXEC, first);
  if (high < 0) return descriptor;
  ::syscall(SYS_close, descriptor);
  return high;
}

int open_event(void* /*context*/, const EventRequest& request) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = request.code.type;
  attributes.config = request.code.config;
  attributes.config1 = request.code.config1;
  attributes.config2 = request.code.config2;
  attributes.inherit = 1;
  attributes.inherit_thread = request.threads_only ? 1 : 0;
  attributes.exclude_kernel = request.user_only ? 1 : 0;
  attributes.exclude_hv = attributes.exclude_kernel;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  if (request.group_read) attributes.read_format |= PERF_FORMAT_GROUP;
  long descriptor = -1;
  int tries = 0;
  do {
    descriptor = ::syscall(SYS_perf_event_open, &attributes, request.thread, /*cpu=*/-1,
                           request.leader, PERF_FLAG_FD_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR && ++tries < kMostTries);
  return descriptor < 0 ? -errno : with_high_number(static_cast<int>(descriptor));
}

// Reads by a system call, since the C library's read and close are places where threads get
// cancelled.
long read_event(void* /*context*/, int descriptor, void* buffer, std::size_t size) {
  const long got = ::syscall(SYS_read, descriptor, buffer, size);
  return got < 0 ? -errno : got;
}

int event_id(void* /*context*/, int descriptor, std::uint64_t* id) {
  return ::ioctl(descriptor, PERF_EVENT_IOC_ID, id) == 0 ? 0 : -errno;
}

void close_event(void* /*context*/, int descriptor) {
  ::syscall(SYS_close, descriptor);
}

void usage(void* /*context*/, ProcessUsage* result) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  result->minor_faults = static_cast<std::uint64_t>(used.ru_minflt);
  result->major_faults = static_cast<std::uint64_t>(used.ru_majflt);
  result->context_switches = static_cast<std::uint64_t>(used.ru_nvcsw + used.ru_nivcsw);
}

std::uint64_t cpu_time(void* /*context*/) {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Kernel Kernel::real() {
  Kernel kernel;
  kernel.calls = {nullptr, open_event, read_event, event_id, close_event, usage, cpu_time};
  kernel.most_descriptors = static_cast<std::size_t>(descriptor_limit() / 4);
  return kernel;
}

std::optional<int> perf_event_paranoid(const Kernel& kernel) {
  std::array<char, 32> text{};
  const long size = files::read_kernel_file(
      (kernel.proc / "sys/kernel/perf_event_paranoid").c_str(), text.data(), text.size());
  if (size <= 0) return std::nullopt;
  int level = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + size, level);
  if (failure != std::errc{} || end == text.data()) return std::nullopt;
  return level;
}

}  // namespace huddle::counters
