/* A kernel whose counters count what a program says, for tests on machines that have none: in front of the C library it answers
   perf_event_open(2), the reads of its descriptors and their numbers, and hands on everything else.

   A thread says what it does by count_work(); as events are inherited, those of the thread that opens them count what all threads
   do that it makes, and so the whole program. Events of other threads, an MPI library's, stay at 0.

   FAKE_COUNTERS_ABSENT=N   the generic hardware event N does not exist (PERF_COUNT_HW_...)
   FAKE_COUNTERS_PART=P     events are on a counter for P percent of the time, and count as much less */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kMostEvents = 4096 };

struct event {
  ino_t inode; /* by which its descriptor is known, whatever number it has */
  ino_t leader;
  uint64_t code;
  uint64_t read_format;
  uint64_t base;
  uint64_t opened_ns;
  int of_program;
};

static struct event events[kMostEvents];
static atomic_int used;
static atomic_ullong counted[PERF_COUNT_HW_MAX];

__attribute__((visibility("default"))) void count_work(unsigned long long instructions, unsigned long long cycles,
                                                       unsigned long long references, unsigned long long misses) {
  atomic_fetch_add(&counted[PERF_COUNT_HW_INSTRUCTIONS], instructions);
  atomic_fetch_add(&counted[PERF_COUNT_HW_CPU_CYCLES], cycles);
  atomic_fetch_add(&counted[PERF_COUNT_HW_CACHE_REFERENCES], references);
  atomic_fetch_add(&counted[PERF_COUNT_HW_CACHE_MISSES], misses);
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static ino_t inode_of(int descriptor) {
  struct stat status;
  return descriptor >= 0 && fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static const struct event* behind(int descriptor) {
  const ino_t inode = inode_of(descriptor);
  if (inode == 0) return NULL;
  for (int i = 0; i < used; ++i)
    if (events[i].inode == inode) return &events[i];
  return NULL;
}

static int number_of(const char* name, int otherwise) {
  const char* const text = getenv(name);
  return text == NULL ? otherwise : atoi(text);
}

static uint64_t total_of(uint64_t code) {
  return code < PERF_COUNT_HW_MAX ? counted[code] : 0;
}

static uint64_t part_of(uint64_t value) {
  return value * (uint64_t)number_of("FAKE_COUNTERS_PART", 100) / 100;
}

static uint64_t value_of(const struct event* event) {
  return event->of_program ? part_of(total_of(event->code) - event->base) : 0;
}

/* On hybrid machines a code names the kind of cores, too: all threads are on cores of the first. */
static int is_of_first_kind(uint64_t config) {
  static atomic_ullong first = ~0ULL;
  unsigned long long none = ~0ULL;
  atomic_compare_exchange_strong(&first, &none, config >> 32U);
  return first == config >> 32U;
}

static long open_event(const struct perf_event_attr* attributes, pid_t thread, int leader) {
  const uint64_t code = attributes->config & 0xffffffffU;
  const int is_hardware = attributes->type == PERF_TYPE_HARDWARE;
  const int is_dummy = attributes->type == PERF_TYPE_SOFTWARE && code == PERF_COUNT_SW_DUMMY;
  if (!is_dummy && (!is_hardware || (int)code == number_of("FAKE_COUNTERS_ABSENT", -1))) {
    errno = ENOENT;
    return -1;
  }
  const int descriptor = memfd_create("event", MFD_CLOEXEC);
  if (descriptor < 0) return -1;
  const int place = atomic_fetch_add(&used, 1);
  if (place >= kMostEvents) abort();
  struct event event = {.leader = inode_of(leader),
                        .code = is_hardware ? code : PERF_COUNT_HW_MAX,
                        .read_format = attributes->read_format,
                        .opened_ns = now_ns(),
                        .of_program = thread == 0 && is_hardware && is_of_first_kind(attributes->config)};
  event.base = total_of(event.code);
  event.inode = inode_of(descriptor);
  events[place] = event;
  return descriptor;
}

/* As perf_event_open(2) describes the layouts. */
static long read_event(const struct event* event, void* buffer, size_t size) {
  uint64_t words[3 + 16];
  size_t length = 0;
  const uint64_t enabled = now_ns() - event->opened_ns;
  if ((event->read_format & PERF_FORMAT_GROUP) != 0) words[length++] = 1;
  const size_t members = length;
  if (members == 0) words[length++] = value_of(event);
  words[length++] = enabled;
  words[length++] = part_of(enabled);
  if (members != 0) {
    words[length++] = value_of(event);
    for (int i = 0; i < used && words[0] < 16; ++i)
      if (events[i].leader == event->inode) {
        words[length++] = value_of(&events[i]);
        ++words[0];
      }
  }
  if (length * sizeof words[0] > size) {
    errno = ENOSPC;
    return -1;
  }
  memcpy(buffer, words, length * sizeof words[0]);
  return (long)(length * sizeof words[0]);
}

__attribute__((visibility("default"))) long syscall(long number, ...) {
  static long (*real)(long, ...);
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  if (real == NULL) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  if (number == SYS_perf_event_open) return open_event((const struct perf_event_attr*)a[0], (pid_t)a[1], (int)a[3]);
  if (number == SYS_read) {
    const struct event* const event = behind((int)a[0]);
    if (event != NULL) return read_event(event, (void*)a[1], (size_t)a[2]);
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((visibility("default"))) int ioctl(int descriptor, unsigned long request, ...) {
  static int (*real)(int, unsigned long, ...);
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  if (request == PERF_EVENT_IOC_ID) {
    const struct event* const event = behind(descriptor);
    if (event != NULL) {
      *(uint64_t*)argument = (uint64_t)event->inode;
      return 0;
    }
  }
  if (real == NULL) real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
  return real(descriptor, request, argument);
}
