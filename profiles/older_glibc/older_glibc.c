// Functions of glibc, in the versions of glibc 2.17, for modules that get into users' programs.
//
// The linker binds each function to the newest version that the glibc of the build has. A process
// of an older one, in a container for instance, ends when such a module is preloaded: the loader
// ignores libraries that are missing, but not versions. So what is newer is defined here, hidden
// from programs, by what has been there since 2.17 (the first for 64-bit Arm, and RHEL 7's).
// Until 2.34 some of it was in libpthread and libdl, which these modules therefore ask for.
// tests/spank_plugin/installed_test.sh says what is missing here.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#define FIRST_DLADDR1 "GLIBC_2.3.3"
#define FIRST_SETNAME "GLIBC_2.12"
#define STAT_VERSION 1
#elif defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#define FIRST_DLADDR1 FIRST
#define FIRST_SETNAME FIRST
#define STAT_VERSION 0
#else
#error "which versions did glibc begin with on this machine?"
#endif

#define HIDDEN __attribute__((visibility("hidden")))

// Defines NAME by its version VERSION.
#define OLD(version, result, name, parameters, arguments) \
  extern result old_##name parameters;                    \
  __asm__(".symver old_" #name "," #name "@" version);    \
  HIDDEN result name parameters {                         \
    return old_##name arguments;                          \
  }

OLD(FIRST, void*, dlopen, (const char* file, int mode), (file, mode))
OLD(FIRST, int, dlclose, (void* library), (library))
OLD(FIRST, void*, dlsym, (void* restrict library, const char* restrict name), (library, name))
OLD(FIRST, int, dladdr, (const void* address, Dl_info* info), (address, info))
OLD(FIRST_DLADDR1, int, dladdr1, (const void* address, Dl_info* info, void** extra, int flags),
    (address, info, extra, flags))
#ifndef HUDDLE_WRAPS_THREAD_CALLS  // those look their functions up
OLD(FIRST, int, pthread_create,
    (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument),
    (thread, attributes, run, argument))
OLD(FIRST, int, pthread_getattr_np, (pthread_t thread, pthread_attr_t* attributes),
    (thread, attributes))
#endif
OLD(FIRST, int, pthread_detach, (pthread_t thread), (thread))
OLD(FIRST, int, pthread_join, (pthread_t thread, void** result), (thread, result))
OLD(FIRST, int, pthread_once, (pthread_once_t * once, void (*run)(void)), (once, run))
OLD(FIRST, int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
OLD(FIRST, int, pthread_key_create, (pthread_key_t * key, void (*end)(void*)), (key, end))
OLD(FIRST, int, __pthread_key_create, (pthread_key_t * key, void (*end)(void*)), (key, end))
OLD(FIRST, int, pthread_key_delete, (pthread_key_t key), (key))
OLD(FIRST, void*, pthread_getspecific, (pthread_key_t key), (key))
#ifndef __clang__  // GCC takes a pointer to const for one that is read through
__attribute__((access(none, 2)))
#endif
extern int
old_pthread_setspecific(pthread_key_t key, const void* value);
__asm__(".symver old_pthread_setspecific,pthread_setspecific@" FIRST);
HIDDEN int pthread_setspecific(pthread_key_t key, const void* value) {
  return old_pthread_setspecific(key, value);
}
// In 2.29 they got versions that set no errno by a wrapper; nobody here asks for it.
OLD(FIRST, double, exp, (double number), (number))
OLD(FIRST, double, log, (double number), (number))
OLD(FIRST, double, pow, (double number, double power), (number, power))
OLD(FIRST, int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
OLD(FIRST, int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
OLD(FIRST, int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
OLD(FIRST, int, pthread_attr_getstack,
    (const pthread_attr_t* attributes, void** begin, size_t* size), (attributes, begin, size))
OLD(FIRST, int, pthread_sigmask, (int how, const sigset_t* signals, sigset_t* before),
    (how, signals, before))
OLD(FIRST_SETNAME, int, pthread_setname_np, (pthread_t thread, const char* name), (thread, name))

// stat() and its kin were macros until 2.33.
extern int __xstat(int version, const char* path, struct stat* into);
extern int __lxstat(int version, const char* path, struct stat* into);
extern int __fxstat(int version, int file, struct stat* into);
extern int __xstat64(int version, const char* path, struct stat64* into);
extern int __lxstat64(int version, const char* path, struct stat64* into);
extern int __fxstat64(int version, int file, struct stat64* into);

HIDDEN int stat(const char* restrict path, struct stat* restrict into) {
  return __xstat(STAT_VERSION, path, into);
}
HIDDEN int lstat(const char* restrict path, struct stat* restrict into) {
  return __lxstat(STAT_VERSION, path, into);
}
HIDDEN int fstat(int file, struct stat* into) {
  return __fxstat(STAT_VERSION, file, into);
}
HIDDEN int stat64(const char* restrict path, struct stat64* restrict into) {
  return __xstat64(STAT_VERSION, path, into);
}
HIDDEN int lstat64(const char* restrict path, struct stat64* restrict into) {
  return __lxstat64(STAT_VERSION, path, into);
}
HIDDEN int fstat64(int file, struct stat64* into) {
  return __fxstat64(STAT_VERSION, file, into);
}

// There may be other threads: counts are changed atomically. (2.32)
HIDDEN char __libc_single_threaded = 0;

HIDDEN pid_t gettid(void) {
  return (pid_t)syscall(SYS_gettid);
}

HIDDEN ssize_t getrandom(void* into, size_t size, unsigned flags) {
  return syscall(SYS_getrandom, into, size, flags);
}

// For names that must differ, not for keys.
HIDDEN int getentropy(void* into, size_t size) {
  if (getrandom(into, size, 0) == (ssize_t)size) return 0;
  int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : read(file, into, size);
  if (file >= 0) close(file);
  if (got == (ssize_t)size) return 0;
  errno = EIO;
  return -1;
}

HIDDEN uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}

HIDDEN int pthread_cond_clockwait(pthread_cond_t* restrict condition,
                                  pthread_mutex_t* restrict mutex, clockid_t clock,
                                  const struct timespec* restrict until) {
  enum { kSecond = 1000000000 };
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
  struct timespec now;
  struct timespec real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  real.tv_sec += until->tv_sec - now.tv_sec;
  real.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) {
    real.tv_nsec += kSecond;
    --real.tv_sec;
  } else if (real.tv_nsec >= kSecond) {
    real.tv_nsec -= kSecond;
    ++real.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &real);
}

// The program's own, if its glibc has it: found once, by whoever is first.
static void* of_this_glibc(void** known, const char* name) {
  static char missing;
#ifdef HUDDLE_PRETEND_OLD_GLIBC
  (void)name;
  *known = &missing;
#endif
  void* found = __atomic_load_n(known, __ATOMIC_ACQUIRE);
  if (found == NULL) {
    found = old_dlsym(RTLD_DEFAULT, name);
    if (found == NULL) found = &missing;
    __atomic_store_n(known, found, __ATOMIC_RELEASE);
  }
  return found == &missing ? NULL : found;
}

// Destructors of thread_local objects. (2.18) Without it they do not run: the objects stay as they
// are.
HIDDEN int __cxa_thread_atexit_impl(void (*end)(void*), void* object, void* library) {
  static void* known;
  void* real = of_this_glibc(&known, "__cxa_thread_atexit_impl");
  return real == NULL ? 0 : ((int (*)(void (*)(void*), void*, void*))real)(end, object, library);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// Where the tables of the code at an address are, by which exceptions are thrown. (2.35)
struct search {
  uintptr_t address;
  struct dl_find_object* found;
};

static int look_into(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct search* search = data;
  int is_it = 0;
  void* tables = NULL;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && search->address >= begin &&
        search->address - begin < segment->p_memsz) {
      is_it = 1;
      search->found->dlfo_map_start = (void*)begin;
      search->found->dlfo_map_end = (void*)(begin + segment->p_memsz);
    }
    if (segment->p_type == PT_GNU_EH_FRAME) tables = (void*)begin;
  }
  if (!is_it || tables == NULL) return 0;
  search->found->dlfo_flags = 0;
  search->found->dlfo_link_map = NULL;
  search->found->dlfo_eh_frame = tables;
  return 1;
}

HIDDEN int _dl_find_object(void* address, struct dl_find_object* found) {
  static void* known;
  void* real = of_this_glibc(&known, "_dl_find_object");
  if (real != NULL) return ((int (*)(void*, struct dl_find_object*))real)(address, found);
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
#endif

// Since 2.38 the standard reads binary numbers, too.
#define NUMBER(result, name)                                                                \
  extern result old_##name(const char* restrict text, char** restrict end, int base);       \
  __asm__(".symver old_" #name "," #name "@" FIRST);                                        \
  HIDDEN result __isoc23_##name(const char* restrict text, char** restrict end, int base);  \
  HIDDEN result __isoc23_##name(const char* restrict text, char** restrict end, int base) { \
    return old_##name(text, end, base);                                                     \
  }
NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)

#if defined(__x86_64__)
// libstdc++ 13 and newer read and write _Float128 in the same file as double, by functions of
// glibc 2.26. Nothing here does: it would get the digits of a long double.
HIDDEN _Float128 strtof128(const char* restrict text, char** restrict end) {
  return (_Float128)strtold(text, end);
}
HIDDEN int strfromf128(char* restrict text, size_t size, const char* restrict format,
                       _Float128 number) {
  (void)format;
  return snprintf(text, size, "%Lg", (long double)number);
}
#endif
