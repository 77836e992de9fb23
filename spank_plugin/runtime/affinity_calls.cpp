// Functions of the C library by which a program sees where its threads may run, and binds them or
// makes others. While a team is packed, they answer as if it was not: its threads may run where the
// rank may. What the program binds itself is bound, and packing ends unless that is home again by
// its next region. Threads and processes that a packed thread makes begin at home. All of it comes
// to nothing as long as no team is packed, and the calls go on as they came.
//
// The program's libraries call the same functions: runtimes of OpenMP (libgomp's omp_get_num_procs
// and OMP_DYNAMIC by pthread_getaffinity_np, libomp by syscall), hwloc, TBB, OpenBLAS, libnuma.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "spank_plugin/runtime/packing/bound_threads.hpp"
#include "spank_plugin/runtime/packing/team_packing.hpp"

using namespace huddle::runtime;  // NOLINT: C functions can't be members of a namespace

#define HUDDLE_AFFINITY_CALLS(X) \
  X(sched_getaffinity)           \
  X(sched_setaffinity)           \
  X(pthread_getaffinity_np)      \
  X(pthread_setaffinity_np)      \
  X(pthread_getattr_np)          \
  X(pthread_create)              \
  X(thrd_create)                 \
  X(get_nprocs)                  \
  X(sysconf)                     \
  X(posix_spawn)                 \
  X(posix_spawnp)                \
  X(popen)                       \
  X(system)                      \
  X(syscall)                     \
  X(vfork)                       \
  X(pthread_getcpuclockid)       \
  X(pthread_attr_setaffinity_np)

extern "C" {
// Where affinity_syscall.S goes on, once that is known; where it has no code, nobody reads it.
[[gnu::visibility("hidden")]] void* huddle_next_syscall = nullptr;
}

namespace {

#define HUDDLE_NUMBER(name) k_##name,
#define HUDDLE_NAME(name) #name,
enum AffinityCall : unsigned { HUDDLE_AFFINITY_CALLS(HUDDLE_NUMBER) kAffinityCalls };
constexpr std::array<const char*, kAffinityCalls> kCallNames{HUDDLE_AFFINITY_CALLS(HUDDLE_NAME)};
constinit std::array<std::atomic<void*>, kAffinityCalls> next_functions{};

// The function that the program would have reached without this one.
void* next_function(AffinityCall call) noexcept {
  void* next = next_functions[call].load(std::memory_order_acquire);
  if (next != nullptr) return next;
  next = ::dlsym(RTLD_NEXT, kCallNames[call]);
  next_functions[call].store(next, std::memory_order_release);
  return next;
}
#define HUDDLE_NEXT_CALL(name) \
  (reinterpret_cast<decltype(&::name)>(next_function(k_##name)))  // NOLINT: dlsym

// At once, since children of fork() call some of these, where nothing can be looked up.
[[gnu::constructor]] void find_next_functions() noexcept {
  for (unsigned call = 0; call < kAffinityCalls; ++call)
    next_function(static_cast<AffinityCall>(call));
  __atomic_store_n(&huddle_next_syscall, next_function(k_syscall), __ATOMIC_RELEASE);
}

// The thread's number in the system, of which the clock of its time consists; 0: the calling one,
// -1: none.
pid_t number_of(pthread_t thread) noexcept {
  if (::pthread_equal(thread, ::pthread_self()) != 0) return 0;
  clockid_t clock{};
  if (HUDDLE_NEXT_CALL(pthread_getcpuclockid)(thread, &clock) != 0) return -1;
  return static_cast<pid_t>(~(clock >> 3));
}

bool is_one_pu(const void* mask, std::size_t bytes) noexcept {
  int pus = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    pus += std::popcount(static_cast<const unsigned char*>(mask)[i]);
  return pus == 1;
}

// ask(mask, bytes) asks for a thread's mask and returns its length; negative: an error. A packed
// thread's own mask must never be in the program's memory, since libgomp has one place for the
// answers to all threads. What is not a single PU was changed by others, and is true.
template <class Ask>
void answer(pid_t thread, void* mask, std::size_t bytes, const Ask& ask) {
  if (mask == nullptr || !bound_threads.is_bound(thread)) {
    const long length = ask(mask, bytes);
    // Another thread may have been bound meanwhile.
    if (length > 0 && mask != nullptr && thread != 0 && bound_threads.is_bound(thread) &&
        is_one_pu(mask, static_cast<std::size_t>(length)))
      bound_threads.home().copy_to(mask, static_cast<std::size_t>(length));
    return;
  }
  std::array<char, CpuMask::kPus / 8> own{};
  const std::size_t asked = std::min(bytes, own.size());
  const long answered = ask(own.data(), asked);
  if (answered <= 0) return;
  const auto length = static_cast<std::size_t>(answered);
  if (!is_one_pu(own.data(), length)) {
    std::memcpy(mask, own.data(), length);
    return;
  }
  // The C library writes all, with zeros where the kernel has no PUs; the kernel what it has.
  bound_threads.home().copy_to(mask, length == asked ? bytes : length);
}

// bind() binds the thread and returns false if that was refused. A thread that binds itself may go
// home again before its next region, as libraries do that look at each PU from there; of another
// one nobody would look.
template <class Bind>
void obey(pid_t thread, const Bind& bind) {
  if (!bound_threads.program_binds(thread, bind)) return;
  if (thread == 0 || thread == ::syscall(SYS_gettid))
    TeamPacking::thread_left();
  else
    TeamPacking::end_by_program();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int sched_getaffinity(pid_t thread, std::size_t bytes, cpu_set_t* mask) noexcept {
  if (CpuMask::asks()) return HUDDLE_NEXT_CALL(sched_getaffinity)(thread, bytes, mask);
  int result = -1;
  answer(thread, mask, bytes, [&](void* to, std::size_t size) {
    result = HUDDLE_NEXT_CALL(sched_getaffinity)(thread, size, static_cast<cpu_set_t*>(to));
    return result == 0 ? static_cast<long>(size) : -1;
  });
  return result;
}

int pthread_getaffinity_np(pthread_t thread, std::size_t bytes, cpu_set_t* mask) noexcept {
  int result = 0;
  answer(number_of(thread), mask, bytes, [&](void* to, std::size_t size) {
    result = HUDDLE_NEXT_CALL(pthread_getaffinity_np)(thread, size, static_cast<cpu_set_t*>(to));
    return result == 0 ? static_cast<long>(size) : -1;
  });
  return result;
}

int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* mask) noexcept {
  if (CpuMask::asks()) return HUDDLE_NEXT_CALL(sched_setaffinity)(thread, bytes, mask);
  int result = -1;
  obey(thread, [&] {
    result = HUDDLE_NEXT_CALL(sched_setaffinity)(thread, bytes, mask);
    return result == 0;
  });
  return result;
}

int pthread_setaffinity_np(pthread_t thread, std::size_t bytes, const cpu_set_t* mask) noexcept {
  int result = 0;
  obey(number_of(thread), [&] {
    result = HUDDLE_NEXT_CALL(pthread_setaffinity_np)(thread, bytes, mask);
    return result == 0;
  });
  return result;
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  const int result = HUDDLE_NEXT_CALL(pthread_getattr_np)(thread, attributes);
  if (result != 0 || !bound_threads.is_bound(number_of(thread))) return result;
  cpu_set_t home;
  bound_threads.home().copy_to(&home, sizeof home);
  // A home that begins beyond these PUs can't be said in a cpu_set_t.
  static_cast<void>(HUDDLE_NEXT_CALL(pthread_attr_setaffinity_np)(attributes, sizeof home, &home));
  return result;
}

int get_nprocs() noexcept {
  const BoundThreads::AtHome home;  // in glibc 2.34 that asks where the calling thread may run
  return HUDDLE_NEXT_CALL(get_nprocs)();
}

long sysconf(int name) noexcept {
  if (name != _SC_NPROCESSORS_ONLN) return HUDDLE_NEXT_CALL(sysconf)(name);
  const BoundThreads::AtHome home;
  return HUDDLE_NEXT_CALL(sysconf)(name);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  const BoundThreads::AtHome home;
  return HUDDLE_NEXT_CALL(pthread_create)(thread, attributes, run, argument);
}

int thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  const BoundThreads::AtHome home;
  return HUDDLE_NEXT_CALL(thrd_create)(thread, run, argument);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[],
                char* const environment[]) {
  const BoundThreads::AtHome home;
  return HUDDLE_NEXT_CALL(posix_spawn)(child, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[],
                 char* const environment[]) {
  const BoundThreads::AtHome home;
  return HUDDLE_NEXT_CALL(posix_spawnp)(child, file, actions, attributes, arguments, environment);
}

FILE* popen(const char* command, const char* mode) {
  const BoundThreads::AtHome home;
  return HUDDLE_NEXT_CALL(popen)(command, mode);
}

int system(const char* command) {
  const BoundThreads::AtHome home;
  return HUDDLE_NEXT_CALL(system)(command);
}

}  // extern "C"
#pragma GCC visibility pop

// Only affinity_syscall.S calls these: for syscall(SYS_sched_getaffinity, ...),
// syscall(SYS_sched_setaffinity, ...), and vfork(), which goes on where this says.
extern "C" {

[[gnu::visibility("hidden")]] long huddle_syscall_getaffinity(long number, long thread, long bytes,
                                                              void* mask) {
  long result = -1;
  answer(static_cast<pid_t>(thread), mask, static_cast<std::size_t>(bytes),
         [&](void* to, std::size_t size) {
           return result = HUDDLE_NEXT_CALL(syscall)(number, thread, size, to);
         });
  return result;
}

[[gnu::visibility("hidden")]] long huddle_syscall_setaffinity(long number, long thread, long bytes,
                                                              const void* mask) {
  long result = -1;
  obey(static_cast<pid_t>(thread), [&] {
    result = HUDDLE_NEXT_CALL(syscall)(number, thread, bytes, mask);
    return result == 0;
  });
  return result;
}

// Its caller comes back from it twice, so nobody can bind it again until its next region.
[[gnu::visibility("hidden")]] void* huddle_before_vfork() {
  if (bound_threads.is_bound(0)) {
    static_cast<void>(bound_threads.return_home());
    TeamPacking::thread_left();
  }
  return next_function(k_vfork);
}

[[gnu::visibility("hidden")]] long huddle_failed_with(int code) {
  errno = code;
  return -1;
}

}  // extern "C"
