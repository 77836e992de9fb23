// The calls that set and read masks, of processes and of threads; see
// fake_affinity.c.

#include "fake_affinity.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "FAKE_AFFINITY="
enum { kAttrShift = kMaxPus };  // see pthread_attr_setaffinity_np

static cpu_set_t folded(const cpu_set_t* mask) {
  size_t cpus[CPU_SETSIZE];
  size_t count = 0;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &config.real)) cpus[count++] = cpu;
  }
  cpu_set_t result;
  CPU_ZERO(&result);
  for (size_t pu = 0; pu < kMaxPus && count > 0; ++pu) {
    if (CPU_ISSET(pu, mask)) CPU_SET(cpus[pu % count], &result);
  }
  return result;
}

// The requested PUs that the simulated node has; false (EINVAL): none.
static bool usable(const cpu_set_t* asked, size_t size, cpu_set_t* mask) {
  CPU_ZERO(mask);
  memcpy(mask, asked, size < sizeof *mask ? size : sizeof *mask);
  CPU_AND(mask, mask, &config.node);
  return CPU_COUNT(mask) > 0;
}

// Copies a mask to a caller's set of `size` bytes; false (EINVAL): too small
// to hold every PU of the node.
static bool hand_out(const cpu_set_t* mask, size_t size, cpu_set_t* to) {
  for (size_t pu = 8 * size; pu < kMaxPus; ++pu) {
    if (CPU_ISSET(pu, &config.node)) return false;
  }
  memset(to, 0, size);
  memcpy(to, mask, size < sizeof *mask ? size : sizeof *mask);
  return true;
}

// The mask that another process had when its program started.
static cpu_set_t mask_of_process(pid_t process) {
  cpu_set_t result = config.node;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
  FILE* file = fopen(path, "re");
  char* variable = NULL;
  size_t size = 0;
  while (file != NULL && getdelim(&variable, &size, '\0', file) > 0) {
    cpu_set_t real, node, mask;
    if (strncmp(variable, VARIABLE, strlen(VARIABLE)) == 0 &&
        parse_value(variable + strlen(VARIABLE), &real, &node, &mask)) {
      result = mask;
    }
  }
  free(variable);
  if (file != NULL) fclose(file);
  return result;
}

API int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* asked) {
  if (!active()) return REAL(sched_setaffinity)(thread, size, asked);
  cpu_set_t mask;
  if (!usable(asked, size, &mask)) {
    errno = EINVAL;
    return -1;
  }
  cpu_set_t real = folded(&mask);
  if (CPU_COUNT(&real) > 0 && REAL(sched_setaffinity)(thread, sizeof real, &real) != 0) return -1;
  if (thread == 0) thread = gettid();
  remember(thread, &mask);
  return 0;
}

API int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* to) {
  if (!active()) return REAL(sched_getaffinity)(thread, size, to);
  cpu_set_t mask;
  if (REAL(sched_getaffinity)(thread, sizeof mask, &mask) != 0) return -1;
  if (thread == 0) thread = gettid();
  int saved = errno;
  mask = known(thread) ? mask_of(thread) : mask_of_process(thread);
  errno = saved;
  if (hand_out(&mask, size, to)) return 0;
  errno = EINVAL;
  return -1;
}

// Lets a thread appear to run on a PU of its mask.
API int sched_getcpu(void) {
  int cpu = REAL(sched_getcpu)();
  if (!active() || cpu < 0) return cpu;
  cpu_set_t mask = mask_of(gettid());
  int first = -1;
  for (int pu = 0; pu < kMaxPus; ++pu) {
    if (!CPU_ISSET((size_t)pu, &mask)) continue;
    if (first < 0) first = pu;
    cpu_set_t only, real;
    CPU_ZERO(&only);
    CPU_SET((size_t)pu, &only);
    real = folded(&only);
    if (CPU_ISSET((size_t)cpu, &real)) return pu;
  }
  return first;
}

// glibc hides a thread's id; only the thread itself can find it portably, and in
// practice only the calling thread is passed. Others get the process's.
static pid_t id_of(pthread_t thread) {
  return pthread_equal(thread, pthread_self()) ? gettid() : 0;
}

API int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* asked) {
  if (!active()) return REAL(pthread_setaffinity_np)(thread, size, asked);
  cpu_set_t mask;
  if (!usable(asked, size, &mask)) return EINVAL;
  cpu_set_t real = folded(&mask);
  if (CPU_COUNT(&real) > 0) {
    int error = REAL(pthread_setaffinity_np)(thread, sizeof real, &real);
    if (error != 0) return error;
  }
  if (id_of(thread) != 0) remember(id_of(thread), &mask);
  return 0;
}

API int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* to) {
  if (!active()) return REAL(pthread_getaffinity_np)(thread, size, to);
  cpu_set_t mask = mask_of(id_of(thread));
  return hand_out(&mask, size, to) ? 0 : EINVAL;
}

// A thread's attributes hold the folded mask, which pthread_create gives to
// the kernel, and kAttrShift bits higher the intended one. The kernel ignores
// bits of CPUs that it does not have as long as it has one of them.
API int pthread_attr_setaffinity_np(pthread_attr_t* attr, size_t size, const cpu_set_t* asked) {
  if (!active() || size == 0) {  // size 0: take the mask away
    return REAL(pthread_attr_setaffinity_np)(attr, size, asked);
  }
  cpu_set_t mask;
  if (!usable(asked, size, &mask)) return EINVAL;
  cpu_set_t both = CPU_COUNT(&config.real) > 0 ? folded(&mask) : mask;
  if (CPU_COUNT(&config.real) == 0) REAL(sched_getaffinity)(0, sizeof both, &both);
  for (size_t pu = 0; pu < kMaxPus; ++pu) {
    if (CPU_ISSET(pu, &mask)) CPU_SET(pu + kAttrShift, &both);
  }
  return REAL(pthread_attr_setaffinity_np)(attr, sizeof both, &both);
}

// The intended mask in a thread's attributes; false: there is none. Of attributes
// without any, such as libgomp's, glibc says that all CPUs are allowed.
static bool intended(const pthread_attr_t* attr, cpu_set_t* mask) {
  cpu_set_t both;
  CPU_ZERO(mask);
  if (attr == NULL || REAL(pthread_attr_getaffinity_np)(attr, sizeof both, &both) != 0) {
    return false;
  }
  if (CPU_COUNT(&both) == CPU_SETSIZE) return false;
  for (size_t pu = 0; pu < kMaxPus; ++pu) {
    if (CPU_ISSET(pu + kAttrShift, &both)) CPU_SET(pu, mask);
  }
  CPU_AND(mask, mask, &config.node);
  return CPU_COUNT(mask) > 0;
}

API int pthread_attr_getaffinity_np(const pthread_attr_t* attr, size_t size, cpu_set_t* to) {
  cpu_set_t mask;
  if (!active() || !intended(attr, &mask)) {
    return REAL(pthread_attr_getaffinity_np)(attr, size, to);
  }
  return hand_out(&mask, size, to) ? 0 : EINVAL;
}

struct start {
  void* (*function)(void*);
  void* argument;
  cpu_set_t mask;
};

static void* start_thread(void* from) {
  struct start start = *(struct start*)from;
  free(from);
  remember(gettid(), &start.mask);
  return start.function(start.argument);
}

API int pthread_create(pthread_t* thread, const pthread_attr_t* attr, void* (*function)(void*),
                       void* argument) {
  if (!active()) return REAL(pthread_create)(thread, attr, function, argument);
  struct start* start = malloc(sizeof *start);
  if (start == NULL) return EAGAIN;
  *start = (struct start){.function = function, .argument = argument};
  if (!intended(attr, &start->mask)) start->mask = mask_of(gettid());
  int error = REAL(pthread_create)(thread, attr, start_thread, start);
  if (error != 0) free(start);
  return error;
}
