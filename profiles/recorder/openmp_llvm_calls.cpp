// The entries of LLVM's and Intel's runtimes of OpenMP that begin parallel regions, or are barriers
// of their threads, as compilers call them (the runtime's kmp.h and kmp_csupport.cpp). What
// programs call is in openmp_llvm_entries.S, which comes here where anything is to be looked at,
// with the arguments and the stack as the program left them: the functions here return to the
// program.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "profiles/recorder/llvm_region.hpp"
#include "profiles/recorder/openmp/runtime_entries.hpp"
#include "profiles/recorder/region_watch.hpp"

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
#define HUDDLE_LLVM_ENTRIES 1
#endif

using namespace huddle::recorder;  // NOLINT: C functions can't be members of a namespace

namespace {

// In the order of their numbers in openmp_llvm_entries.S.
enum LlvmEntry : unsigned {
  kForkCall,
  kForkCallIf,
  kForkTeams,
  kSerializedParallel,
  kEndSerializedParallel,
  kBarrier,
  kCancelBarrier,
  kReduce,
  kReduceNowait,
  kEndReduce,
  kCopyPrivate,
  kPushNumThreads,
  kLlvmEntries
};

constexpr std::array<const char*, kLlvmEntries> kLlvmNames{"__kmpc_fork_call",
                                                           "__kmpc_fork_call_if",
                                                           "__kmpc_fork_teams",
                                                           "__kmpc_serialized_parallel",
                                                           "__kmpc_end_serialized_parallel",
                                                           "__kmpc_barrier",
                                                           "__kmpc_cancel_barrier",
                                                           "__kmpc_reduce",
                                                           "__kmpc_reduce_nowait",
                                                           "__kmpc_end_reduce",
                                                           "__kmpc_copyprivate",
                                                           "__kmpc_push_num_threads"};
static_assert(kLlvmEntries <= RuntimeEntries::kMost);
// As Debian names it, LLVM, and Intel.
constexpr std::array kLlvmLibraries{"libomp.so.5", "libomp.so", "libiomp5.so"};
constinit RuntimeEntries llvm_entries({kLlvmNames, "__kmpc_global_thread_num", kLlvmLibraries,
                                       true});

}  // namespace

extern "C" {
// Read by the entries: whether anything is to be looked at, and the functions that all callers
// reach, once they are known.
constinit std::atomic<std::uint32_t> huddle_looks_at_llvm_entries{0};
constinit std::array<std::atomic<void*>, kLlvmEntries> huddle_known_llvm_entries{};
}

namespace {

// The answer of a tool's ompt_start_tool, for the runtime.
struct ToolsAnswer;

// ThreadSanitizer's tool is one that the runtime loads itself, as those that are named.
bool names_a_tool() noexcept {
  const char* const named = std::getenv("OMP_TOOL_LIBRARIES");  // NOLINT: the runtime does so, too
  return (named != nullptr && *named != '\0') || ::dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

}  // namespace

// A runtime asks each process for one tool when it begins (OpenMP 5.1, chapter 4.2). The recorder
// is none; it wants to know whether there is one, which must not find the recorder's addresses
// where it looks for the program's.
#pragma GCC visibility push(default)
extern "C" ToolsAnswer* ompt_start_tool(unsigned version, const char* runtime) {
  using StartTool = ToolsAnswer* (*)(unsigned, const char*);
  // The function of a user's tool, of the other MPI's recorder, or of the runtime itself, which
  // then looks further.
  const auto next = reinterpret_cast<StartTool>(::dlsym(RTLD_NEXT, "ompt_start_tool"));  // NOLINT
  ToolsAnswer* const tool = next == nullptr ? nullptr : next(version, runtime);
  users_tool = tool != nullptr || names_a_tool();
  if (users_tool) huddle_looks_at_llvm_entries.store(0, std::memory_order_relaxed);
  return tool;
}
#pragma GCC visibility pop

#ifdef HUDDLE_LLVM_ENTRIES

namespace {

using Kind = WatchedRegion::Kind;

// The begin of the compilers' ident_t.
struct SourcePlace {
  std::int32_t reserved;
  std::int32_t flags;
};
// KMP_IDENT_ATOMIC_REDUCE: the program can do the reduction by atomic operations.
constexpr std::int32_t kAtomicReduction = 0x10;
// KMP_IDENT_BARRIER_EXPL.
constexpr std::int32_t kExplicitBarrier = 0x20;

template <class Function>
Function real_of(const FoundEntry& entry) {
  return reinterpret_cast<Function>(entry.function);  // NOLINT: dlsym
}

// Calls `real` with a microtask and an argument of ours in place of the program's.
template <class Call>
[[gnu::always_inline]] inline void fork_region(const FoundEntry& entry,
                                               const ProgramsMicrotask& program, RuntimeCall call,
                                               Kind kind, const Call& real) {
  if (traced_regions.load(std::memory_order_relaxed) == nullptr &&
      region_hook.load(std::memory_order_relaxed) == nullptr) [[likely]] {
    CountedFork region(entry.runtime, program, call, kind);
    real(region.microtask(), &region);
  } else {
    WatchedFork region(entry.runtime, program, call, kind);
    real(region.microtask(), &region);
  }
}

// `rest`: the program's arguments.
[[gnu::always_inline]] inline void fork_with(const FoundEntry& entry, SourcePlace* source,
                                             std::int32_t count, Microtask microtask,
                                             std::va_list rest, RuntimeCall call, Kind kind) {
  constexpr std::int32_t kFew = ProgramsMicrotask::kLeastRoom;
  std::array<void*, kFew> few{};
  void** arguments = few.data();
  if (count > kFew) [[unlikely]]
    arguments =
        static_cast<void**>(__builtin_alloca(static_cast<std::size_t>(count) * sizeof(void*)));
  for (std::int32_t i = 0; i < count; ++i) arguments[i] = va_arg(rest, void*);
  const auto real =
      real_of<void (*)(SourcePlace*, std::int32_t, Microtask, ...)>(entry);  // with any number
  fork_region(entry, {microtask, arguments, count}, call, kind,
              [=](Microtask ours, void* region) { real(source, 1, ours, region); });
}

// Once for each runtime, and not in threads of its teams, which may not look anything up then.
bool is_new(const FoundEntry& entry) noexcept {
  static constinit std::atomic<std::uintptr_t> last{0};
  return last.load(std::memory_order_relaxed) != entry.begin &&
         last.exchange(entry.begin, std::memory_order_relaxed) != entry.begin;
}

[[gnu::cold]] void judge_runtime(const FoundEntry& entry) noexcept {
  // The runtime asks for a tool when it begins, so that it is known from now on.
  static_cast<void>(entry.runtime.level());
  if (!users_tool) huddle_looks_at_llvm_entries.store(1, std::memory_order_relaxed);
}

}  // namespace

#define HUDDLE_FOUND_ENTRY(number) (llvm_entries.find(number, __builtin_return_address(0)))
#define HUDDLE_FOUND_FORK(number) \
  (llvm_entries.find(number, reinterpret_cast<const void*>(microtask)))
#define HUDDLE_CALL_OF_ENTRY \
  { __builtin_return_address(0), __builtin_frame_address(0) }

extern "C" {

// From the entry `number`, as long as what it reaches depends on where `caller` is. `third`: the
// call's third argument, a microtask where a team is forked. It lies in the library that calls, as
// the place that the call returns to may not: what a function calls last may return to its caller.
[[gnu::cold]] void* huddle_find_llvm_entry(unsigned number, const void* caller, const void* third) {
  const FoundEntry& found = llvm_entries.find(number, number <= kForkTeams ? third : caller);
  if (is_new(found)) judge_runtime(found);
  for (unsigned i = 0; i < kLlvmEntries; ++i)
    if (const FoundEntry* const known = llvm_entries.known(i); known != nullptr)
      huddle_known_llvm_entries[i].store(known->function, std::memory_order_release);
  return found.function;
}

void huddle_fork_call(SourcePlace* source, std::int32_t count, Microtask microtask, ...) {
  std::va_list rest;
  va_start(rest, microtask);
  fork_with(HUDDLE_FOUND_FORK(kForkCall), source, count, microtask, rest, HUDDLE_CALL_OF_ENTRY,
            Kind::kRegion);
  va_end(rest);
}

// A null pointer is no argument.
void huddle_fork_call_if(SourcePlace* source, std::int32_t count, Microtask microtask,
                         std::int32_t condition, void* argument) {
  const FoundEntry& entry = HUDDLE_FOUND_FORK(kForkCallIf);
  const std::array<void*, ProgramsMicrotask::kLeastRoom> arguments{argument};
  const auto real =
      real_of<void (*)(SourcePlace*, std::int32_t, Microtask, std::int32_t, void*)>(entry);
  fork_region(entry, {microtask, arguments.data(), std::min(count, 1)}, HUDDLE_CALL_OF_ENTRY,
              Kind::kRegion,
              [=](Microtask ours, void* region) { real(source, 1, ours, condition, region); });
}

void huddle_fork_teams(SourcePlace* source, std::int32_t count, Microtask microtask, ...) {
  std::va_list rest;
  va_start(rest, microtask);
  fork_with(HUDDLE_FOUND_FORK(kForkTeams), source, count, microtask, rest, HUDDLE_CALL_OF_ENTRY,
            Kind::kTeams);
  va_end(rest);
}

void huddle_serialized_parallel(SourcePlace* source, std::int32_t thread) {
  const FoundEntry& entry = HUDDLE_FOUND_ENTRY(kSerializedParallel);
  SerializedRegion::begins(entry, HUDDLE_CALL_OF_ENTRY);
  real_of<void (*)(SourcePlace*, std::int32_t)>(entry)(source, thread);
}

void huddle_end_serialized_parallel(SourcePlace* source, std::int32_t thread) {
  const FoundEntry& entry = HUDDLE_FOUND_ENTRY(kEndSerializedParallel);
  real_of<void (*)(SourcePlace*, std::int32_t)>(entry)(source, thread);
  if (SerializedRegion::is_under_way()) [[unlikely]]
    SerializedRegion::ended(entry.runtime);
}

// A barrier that the program asks for is at the call, as others are not.
#define HUDDLE_BARRIER_PLACE(source)                                    \
  {                                                                     \
    (source) != nullptr && ((source)->flags & kExplicitBarrier) != 0    \
        ? reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) \
        : 0,                                                            \
        true                                                            \
  }

void huddle_barrier(SourcePlace* source, std::int32_t thread) {
  const FoundEntry& entry = HUDDLE_FOUND_ENTRY(kBarrier);
  const auto real = real_of<void (*)(SourcePlace*, std::int32_t)>(entry);
  if (!WatchedBarrier::is_watched(entry.runtime)) [[likely]]
    return real(source, thread);
  WatchedBarrier::begins(HUDDLE_BARRIER_PLACE(source));
  real(source, thread);
  WatchedBarrier::ends();
}

std::int32_t huddle_cancel_barrier(SourcePlace* source, std::int32_t thread) {
  const FoundEntry& entry = HUDDLE_FOUND_ENTRY(kCancelBarrier);
  const auto real = real_of<std::int32_t (*)(SourcePlace*, std::int32_t)>(entry);
  if (!WatchedBarrier::is_watched(entry.runtime)) [[likely]]
    return real(source, thread);
  WatchedBarrier::begins(HUDDLE_BARRIER_PLACE(source));
  const std::int32_t is_cancelled = real(source, thread);
  WatchedBarrier::ends();
  return is_cancelled;
}

// A barrier where the runtime adds up for the threads itself, which it does for all but one of
// them, and for that one if it chose so where the program might have used atomic operations. Else
// the thread waits for a lock, which is no barrier, and known only afterwards: too late for a
// trace.
#define HUDDLE_REDUCTION(function, number)                                                        \
  std::int32_t function(SourcePlace* source, std::int32_t thread, std::int32_t variables,         \
                        std::size_t size, void* data, void (*add)(void*, void*), void* lock) {    \
    const FoundEntry& entry = HUDDLE_FOUND_ENTRY(number);                                         \
    const auto real =                                                                             \
        real_of<std::int32_t (*)(SourcePlace*, std::int32_t, std::int32_t, std::size_t, void*,    \
                                 void (*)(void*, void*), void*)>(entry);                          \
    const bool may_be_atomic = source != nullptr && (source->flags & kAtomicReduction) != 0;      \
    if (!WatchedBarrier::is_watched(entry.runtime) ||                                             \
        (!may_be_atomic && traced_regions.load(std::memory_order_relaxed) != nullptr)) [[likely]] \
      return real(source, thread, variables, size, data, add, lock);                              \
    WatchedBarrier::begins({0, true});                                                            \
    const std::int32_t way = real(source, thread, variables, size, data, add, lock);              \
    if (way == 1 && !may_be_atomic) WatchedBarrier::was_none();                                   \
    WatchedBarrier::ends();                                                                       \
    return way;                                                                                   \
  }
HUDDLE_REDUCTION(huddle_reduce, kReduce)
HUDDLE_REDUCTION(huddle_reduce_nowait, kReduceNowait)

void huddle_end_reduce(SourcePlace* source, std::int32_t thread, void* lock) {
  const FoundEntry& entry = HUDDLE_FOUND_ENTRY(kEndReduce);
  const auto real = real_of<void (*)(SourcePlace*, std::int32_t, void*)>(entry);
  if (!WatchedBarrier::is_watched(entry.runtime)) [[likely]]
    return real(source, thread, lock);
  WatchedBarrier::begins({0, true});
  real(source, thread, lock);
  WatchedBarrier::ends();
}

void huddle_copyprivate(SourcePlace* source, std::int32_t thread, std::size_t size, void* data,
                        void (*copy)(void*, void*), std::int32_t has_data) {
  const FoundEntry& entry = HUDDLE_FOUND_ENTRY(kCopyPrivate);
  const auto real = real_of<void (*)(SourcePlace*, std::int32_t, std::size_t, void*,
                                     void (*)(void*, void*), std::int32_t)>(entry);
  if (!WatchedBarrier::is_watched(entry.runtime)) [[likely]]
    return real(source, thread, size, data, copy, has_data);
  WatchedBarrier::begins({0, true});
  real(source, thread, size, data, copy, has_data);
  WatchedBarrier::ends();
}

// For the thread's next region.
void huddle_push_num_threads(SourcePlace* source, std::int32_t thread, std::int32_t threads) {
  const FoundEntry& entry = HUDDLE_FOUND_ENTRY(kPushNumThreads);
  if (region_hook.load(std::memory_order_relaxed) != nullptr)
    watching.asked_threads = static_cast<std::uint32_t>(std::max(threads, 0));
  real_of<void (*)(SourcePlace*, std::int32_t, std::int32_t)>(entry)(source, thread, threads);
}

}  // extern "C"

#endif
