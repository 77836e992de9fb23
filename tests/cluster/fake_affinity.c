// Lets a process on a small machine live on a larger, simulated node.
//
// Preloaded around slurmd and inherited by everything that slurmd starts, it
// wraps the calls by which programs set and read CPU affinity. Each thread's
// intended mask, in the PUs of the simulated node, is kept here; what reaches
// the kernel is that mask folded onto the real CPUs (PU p -> real CPU number
// p mod R of the R real ones). A request for PUs that the simulated node lacks
// fails with EINVAL, as the kernel would.
//
// The masks survive fork because they are memory, and exec because the
// exec family and posix_spawn are wrapped: they put LD_PRELOAD (before
// whatever the new environment has there), FAKE_AFFINITY and, for hwloc,
// HWLOC_XMLFILE and HWLOC_THISSYSTEM into the new program's environment.
// slurmstepd starts tasks with the job's environment, which has none of them.
//
// FAKE_AFFINITY=REAL:NODE:MASK, three hexadecimal masks: the real CPUs to fold
// onto (0: leave the kernel's mask alone), the PUs of the simulated node, and
// the PUs that the starting process may use. Without it every wrapper passes
// its call on unchanged.
//
// Limits: the affinity of a process that is neither a forked child nor a thread
// is read as it was at its last exec, and setting it reaches the kernel only;
// system() and popen() pass on the mask of this process's start; other threads'
// masks cannot be set or read by pthread_t; direct syscalls and sysconf() see
// the real machine.

#include "fake_affinity.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  kSlots = 1024,  // threads with a mask of their own
  kTaken = -1,
};

struct config config;

// Masks by thread, in memory shared with forked children until they exec:
// slurmstepd sets the affinity of a child that it forked, from outside. Slots
// are taken by compare-and-swap, not under a lock, since a process may be
// killed at any point. A thread that has none has `inherited`: the mask of this
// process at its start or, without exec, that of the thread that forked it.
struct slot {
  _Atomic pid_t thread;  // 0: free; kTaken: being filled
  _Atomic uint64_t mask[kMaxPus / 64];
};
static struct slot* slots;
static cpu_set_t inherited;

// The mask of this thread where it has no slot: after fork, and in a child of
// vfork, which runs on its parent's thread-local memory.
static _Thread_local struct {
  bool known;
  cpu_set_t mask;
} own;

static pthread_once_t once = PTHREAD_ONCE_INIT;

void* real_function(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    dprintf(STDERR_FILENO, "fake_affinity: no function %s behind this library\n", name);
    abort();
  }
  return found;
}

// Reads one hexadecimal mask; returns a pointer to the text after it.
static const char* parse_mask(const char* text, cpu_set_t* mask) {
  CPU_ZERO(mask);
  size_t digits = strspn(text, "0123456789abcdefABCDEF");
  for (size_t i = 0; i < digits; ++i) {
    const char digit[2] = {text[i], '\0'};
    unsigned long value = strtoul(digit, NULL, 16);
    size_t lowest = 4 * (digits - 1 - i);
    for (size_t bit = 0; bit < 4 && lowest + bit < kMaxPus; ++bit) {
      if (value & (1ul << bit)) CPU_SET(lowest + bit, mask);
    }
  }
  return text + digits;
}

bool parse_value(const char* text, cpu_set_t* real, cpu_set_t* node, cpu_set_t* mask) {
  const char* rest = parse_mask(text, real);
  if (*rest != ':') return false;
  rest = parse_mask(rest + 1, node);
  if (*rest != ':') return false;
  rest = parse_mask(rest + 1, mask);
  CPU_AND(mask, mask, node);
  return *rest == '\0' && CPU_COUNT(mask) > 0;
}

char* print_mask(char* to, const cpu_set_t* mask) {
  bool started = false;
  for (int digit = (kMaxPus / 4) - 1; digit >= 0; --digit) {
    unsigned value = 0;
    for (int bit = 0; bit < 4; ++bit) {
      if (CPU_ISSET((size_t)(4 * digit + bit), mask)) value |= 1u << bit;
    }
    started = started || value != 0 || digit == 0;
    if (started) *to++ = "0123456789abcdef"[value];
  }
  return to;
}

static bool exists(pid_t thread) {
  int saved = errno;
  bool exists = kill(thread, 0) == 0 || errno != ESRCH;
  errno = saved;
  return exists;
}

static bool is_thread_of_this_process(pid_t thread) {
  int saved = errno;
  bool is = syscall(SYS_tgkill, getpid(), thread, 0) == 0;
  errno = saved;
  return is;
}

static struct slot* slot_of(pid_t thread) {
  for (size_t i = 0; i < kSlots; ++i) {
    pid_t holder = atomic_load(&slots[i].thread);
    if (holder == thread) return &slots[i];
    if (holder == 0) return NULL;
  }
  return NULL;
}

bool known(pid_t thread) {
  return slot_of(thread) != NULL || is_thread_of_this_process(thread);
}

cpu_set_t mask_of(pid_t thread) {
  struct slot* slot = slot_of(thread);
  if (slot == NULL) return thread == gettid() && own.known ? own.mask : inherited;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (size_t pu = 0; pu < kMaxPus; ++pu) {
    if (atomic_load(&slot->mask[pu / 64]) >> (pu % 64) & 1) CPU_SET(pu, &mask);
  }
  return mask;
}

// A free slot or, in the half that only fills up where many threads come and
// go, one whose thread has ended; NULL: there is none.
static struct slot* take_slot(void) {
  for (size_t i = 0; i < kSlots; ++i) {
    pid_t holder = atomic_load(&slots[i].thread);
    bool usable = holder == 0 || (i >= kSlots / 2 && holder != kTaken && !exists(holder));
    if (usable && atomic_compare_exchange_strong(&slots[i].thread, &holder, kTaken)) {
      return &slots[i];
    }
  }
  return NULL;
}

static void keep_own(const cpu_set_t* mask) {
  own.mask = *mask;
  own.known = true;
}

void remember(pid_t thread, const cpu_set_t* mask) {
  if (thread == gettid()) keep_own(mask);
  struct slot* slot = slot_of(thread);
  if (slot == NULL) slot = take_slot();
  if (slot == NULL) return;
  for (size_t word = 0; word < kMaxPus / 64; ++word) {
    uint64_t bits = 0;
    for (size_t bit = 0; bit < 64; ++bit) {
      if (CPU_ISSET(64 * word + bit, mask)) bits |= UINT64_C(1) << bit;
    }
    atomic_store(&slot->mask[word], bits);
  }
  atomic_store(&slot->thread, thread);
}

static void before_fork(void) {
  cpu_set_t mask = mask_of(gettid());
  keep_own(&mask);
}
static void after_fork_in_child(void) {
  inherited = own.mask;
}

static void read_configuration(void) {
  const char* value = getenv("FAKE_AFFINITY");
  if (value == NULL) return;
  if (!parse_value(value, &config.real, &config.node, &inherited)) {
    dprintf(STDERR_FILENO, "fake_affinity: FAKE_AFFINITY is '%s', expected REAL:NODE:MASK\n",
            value);
    return;
  }
  Dl_info self;
  if (dladdr((void*)read_configuration, &self) == 0) return;
  if (realpath(self.dli_fname, config.library) == NULL) return;
  const char* xml = getenv("HWLOC_XMLFILE");
  if (xml != NULL && strlen(xml) < sizeof config.xml_file) strcpy(config.xml_file, xml);
  slots =
      mmap(NULL, kSlots * sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (slots == MAP_FAILED) return;
  pthread_atfork(before_fork, NULL, after_fork_in_child);
  config.on = true;
}

// Other libraries' constructors may call a wrapper before ours has run.
bool active(void) {
  pthread_once(&once, read_configuration);
  return config.on;
}

__attribute__((constructor)) static void at_load(void) {
  active();
}
