// The entries of libgomp that begin parallel regions, or are barriers of their threads, as GCC's
// compilers call them (libgomp's manual, "The libgomp ABI"; those of OpenMP 5 in its libgomp_g.h).
// All of them have the arguments of the real ones, and hand them on as they are, but for the
// region's function and data.
#include <array>

#include "profiles/recorder/openmp/runtime_entries.hpp"
#include "profiles/recorder/region_watch.hpp"

using namespace huddle::recorder;  // NOLINT: C functions can't be members of a namespace

#define HUDDLE_GOMP_ENTRIES(X)               \
  X(GOMP_parallel)                           \
  X(GOMP_parallel_reductions)                \
  X(GOMP_parallel_sections)                  \
  X(GOMP_teams_reg)                          \
  X(GOMP_barrier)                            \
  X(GOMP_loop_end)                           \
  X(GOMP_sections_end)                       \
  X(GOMP_parallel_loop_static)               \
  X(GOMP_parallel_loop_dynamic)              \
  X(GOMP_parallel_loop_guided)               \
  X(GOMP_parallel_loop_nonmonotonic_dynamic) \
  X(GOMP_parallel_loop_nonmonotonic_guided)  \
  X(GOMP_parallel_loop_runtime)              \
  X(GOMP_parallel_loop_nonmonotonic_runtime) \
  X(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

namespace {

#define HUDDLE_NUMBER(name) k_##name,
#define HUDDLE_NAME(name) #name,
enum GompEntry : unsigned { HUDDLE_GOMP_ENTRIES(HUDDLE_NUMBER) kGompEntries };
constexpr std::array<const char*, kGompEntries> kGompNames{HUDDLE_GOMP_ENTRIES(HUDDLE_NAME)};
static_assert(kGompEntries <= RuntimeEntries::kMost);
constexpr std::array kGompLibraries{"libgomp.so.1"};
constinit RuntimeEntries gomp_entries({kGompNames, "GOMP_critical_start", kGompLibraries, false});

using Function = void (*)(void*);
using Kind = WatchedRegion::Kind;

// Calls the real function of a region, `arguments` being what follows its function, data and number
// of threads, or of a league's teams.
template <Kind kind, class Result, class... Arguments>
[[gnu::always_inline]] inline Result begin_region(const FoundEntry& entry, Function function,
                                                  void* data, unsigned threads,
                                                  Arguments... arguments) {
  const auto real = reinterpret_cast<Result (*)(Function, void*, unsigned, Arguments...)>(
      entry.function);  // NOLINT: dlsym
  if (watched_regions.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return real(function, data, threads, arguments...);
  // The wrapper's frame, as this is a part of it.
  WatchedRegion region(entry.runtime, function, data, kind == Kind::kTeams ? 0U : threads,
                       {__builtin_return_address(0), __builtin_frame_address(0)}, kind,
                       {reinterpret_cast<std::uintptr_t>(function), false});
  return real(region.function(), region.data(), region.threads(threads), arguments...);
}

inline void synchronise(const FoundEntry& entry, const void* caller) {
  const auto real = reinterpret_cast<void (*)()>(entry.function);  // NOLINT: dlsym
  if (!WatchedBarrier::is_watched(entry.runtime)) [[likely]]
    return real();
  WatchedBarrier::begins({reinterpret_cast<std::uintptr_t>(caller), true});
  real();
  WatchedBarrier::ends();
}

}  // namespace

// In a wrapper: the function that it wraps.
#define HUDDLE_REAL_ENTRY(name) (gomp_entries.find(k_##name, __builtin_return_address(0)))
// Likewise where a region begins: its function lies in the library that calls, as the place that
// the call returns to may not, since what a function calls last may return to its caller.
#define HUDDLE_REAL_BEGIN(name) \
  (gomp_entries.find(k_##name, reinterpret_cast<const void*>(function)))

// A loop with a chunk, and one without.
#define HUDDLE_LOOP(name)                                                                      \
  void name(Function function, void* data, unsigned threads, long start, long end, long step,  \
            long chunk, unsigned flags) {                                                      \
    begin_region<Kind::kRegion, void>(HUDDLE_REAL_BEGIN(name), function, data, threads, start, \
                                      end, step, chunk, flags);                                \
  }
#define HUDDLE_RUNTIME_LOOP(name)                                                              \
  void name(Function function, void* data, unsigned threads, long start, long end, long step,  \
            unsigned flags) {                                                                  \
    begin_region<Kind::kRegion, void>(HUDDLE_REAL_BEGIN(name), function, data, threads, start, \
                                      end, step, flags);                                       \
  }
#pragma GCC visibility push(default)
extern "C" {

void GOMP_parallel(Function function, void* data, unsigned threads, unsigned flags) {
  begin_region<Kind::kRegion, void>(HUDDLE_REAL_BEGIN(GOMP_parallel), function, data, threads,
                                    flags);
}

unsigned GOMP_parallel_reductions(Function function, void* data, unsigned threads, unsigned flags) {
  return begin_region<Kind::kReductions, unsigned>(HUDDLE_REAL_BEGIN(GOMP_parallel_reductions),
                                                   function, data, threads, flags);
}

void GOMP_parallel_sections(Function function, void* data, unsigned threads, unsigned count,
                            unsigned flags) {
  begin_region<Kind::kRegion, void>(HUDDLE_REAL_BEGIN(GOMP_parallel_sections), function, data,
                                    threads, count, flags);
}

void GOMP_teams_reg(Function function, void* data, unsigned teams, unsigned limit, unsigned flags) {
  begin_region<Kind::kTeams, void>(HUDDLE_REAL_BEGIN(GOMP_teams_reg), function, data, teams, limit,
                                   flags);
}

HUDDLE_LOOP(GOMP_parallel_loop_static)
HUDDLE_LOOP(GOMP_parallel_loop_dynamic)
HUDDLE_LOOP(GOMP_parallel_loop_guided)
HUDDLE_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
HUDDLE_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
HUDDLE_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
HUDDLE_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
HUDDLE_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

void GOMP_barrier() {
  synchronise(HUDDLE_REAL_ENTRY(GOMP_barrier), __builtin_return_address(0));
}
void GOMP_loop_end() {
  synchronise(HUDDLE_REAL_ENTRY(GOMP_loop_end), __builtin_return_address(0));
}
void GOMP_sections_end() {
  synchronise(HUDDLE_REAL_ENTRY(GOMP_sections_end), __builtin_return_address(0));
}

}  // extern "C"
#pragma GCC visibility pop
