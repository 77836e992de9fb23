// The wrappers of calls.def, each under both its names: bindings of other languages call PMPI_X.
#include "profiles/recorder/recorder.hpp"

using namespace huddle::recorder;  // NOLINT: the macros below stand for this file's code
using huddle::Collective;
using huddle::EventKind;

// The MPI library's function that the wrapper calls. It is looked up at the first call.
#define HUDDLE_REAL_FUNCTION(Name, Parameters, Arguments)                                     \
  int first_##Name Parameters;                                                                \
  constinit std::atomic<decltype(&PMPI_##Name)> real_##Name{&first_##Name};                   \
  int first_##Name Parameters {                                                               \
    void* const found = find_real("PMPI_" #Name);                                             \
    const auto real = reinterpret_cast<decltype(&PMPI_##Name)>(found); /* NOLINT: by dlsym */ \
    real_##Name.store(real, std::memory_order_relaxed);                                       \
    return real Arguments;                                                                    \
  }

// A wrapper's whole work, whatever the call and the moment: `Before` comes first; `Call` is
// constructed before the real call and left after it. `Caller` is the return address of the
// wrapper.
#define HUDDLE_RECORDED(Name, Arguments, Before, Caller, Call, Account, Trace)   \
  const auto real = real_##Name.load(std::memory_order_relaxed);                 \
  ThreadState* const thread = enter_call();                                      \
  if (thread == nullptr) {                                                       \
    Before;                                                                      \
    return real Arguments;                                                       \
  }                                                                              \
  constexpr Operation kOperation = counted_as(Operation::k##Name);               \
  constexpr int kAllReceive [[maybe_unused]] = CallAccounting::kAllReceive;      \
  const Call;                                                                    \
  const auto account = [&](CallAccounting& accounting) { accounting.Account; };  \
  if (thread->trace != nullptr) [[unlikely]] {                                   \
    TracedCall traced(*thread, Operation::k##Name, call.begin(), Caller,         \
                      __builtin_frame_address(0));                               \
    const auto trace = traced.Trace;                                             \
    Before;                                                                      \
    const int outcome = real Arguments;                                          \
    call.leave(kOperation, outcome == MPI_SUCCESS, account,                      \
               [&](std::uint64_t end) { traced.leave(end, outcome, trace); });   \
    return outcome;                                                              \
  }                                                                              \
  Before;                                                                        \
  const int outcome = real Arguments;                                            \
  call.leave(kOperation, outcome == MPI_SUCCESS, account, [](std::uint64_t) {}); \
  return outcome;

#define HUDDLE_WRAPPER(Name, Parameters, Arguments, Before, Call, Account, Trace)               \
  namespace {                                                                                   \
  HUDDLE_REAL_FUNCTION(Name, Parameters, Arguments)                                             \
  }                                                                                             \
  int MPI_##Name Parameters {                                                                   \
    HUDDLE_RECORDED(Name, Arguments, Before, __builtin_return_address(0), Call, Account, Trace) \
  }                                                                                             \
  decltype(PMPI_##Name) PMPI_##Name __attribute__((alias("MPI_" #Name)));

// A wrapper of calls that programs make in great numbers. The path of a call that is not timed is
// kept short; all others go through timed_##Name, so that they cost that path no registers.
#define HUDDLE_QUICK_WRAPPER(Name, Parameters, Arguments, Account, Trace, Quick)               \
  namespace {                                                                                  \
  HUDDLE_REAL_FUNCTION(Name, Parameters, Arguments)                                            \
  [[gnu::cold, gnu::noinline]] int timed_##Name Parameters {                                   \
    HUDDLE_RECORDED(Name, Arguments, , here.caller, TimedSample call(*thread), Account, Trace) \
  }                                                                                            \
  }                                                                                            \
  int MPI_##Name Parameters {                                                                  \
    ThreadState* const thread = here.ready;                                                    \
    if (thread == nullptr || !thread->clock.passes_over()) [[unlikely]] {                      \
      here.caller = __builtin_return_address(0);                                               \
      return timed_##Name Arguments;                                                           \
    }                                                                                          \
    constexpr Operation kOperation = counted_as(Operation::k##Name);                           \
    const auto real = real_##Name.load(std::memory_order_relaxed);                             \
    Quick                                                                                      \
  }                                                                                            \
  decltype(PMPI_##Name) PMPI_##Name __attribute__((alias("MPI_" #Name)));

#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace)                            \
  HUDDLE_QUICK_WRAPPER(                                                                     \
      Name, Parameters, Arguments, Account, Trace, here.ready = nullptr;                    \
      const int outcome = real Arguments;                                                   \
      constexpr int kAllReceive [[maybe_unused]] = CallAccounting::kAllReceive;             \
      thread->counters.add_call(static_cast<std::uint32_t>(kOperation));                    \
      if (outcome == MPI_SUCCESS) [[likely]] account_call(                                  \
          *thread, kOperation, 0, [&](CallAccounting& accounting) { accounting.Account; }); \
      leave_call(*thread); return outcome;)

// There is nothing to do after the real call, so it is jumped to.
#define HUDDLE_COMPLETION(Name, Parameters, Arguments, Account, Trace)                    \
  HUDDLE_QUICK_WRAPPER(Name, Parameters, Arguments, Account, Trace,                       \
                       thread->counters.add_call(static_cast<std::uint32_t>(kOperation)); \
                       return real Arguments;)

#define HUDDLE_COLLECTIVE(Name, Parameters, Arguments, Account, Trace) \
  HUDDLE_WRAPPER(Name, Parameters, Arguments, , TimedCall call(*thread), Account, Trace)
#define HUDDLE_DELIMITER(Name, Parameters, Arguments, Account, Trace)                          \
  HUDDLE_WRAPPER(Name, Parameters, Arguments, ,                                                \
                 DelimitingCall call(*thread, counted_as(Operation::k##Name),                  \
                                     __builtin_return_address(0), __builtin_frame_address(0)), \
                 Account, Trace)
#define HUDDLE_RELEASE(Name, Parameters, Arguments, Forget, Trace)                               \
  HUDDLE_WRAPPER(Name, Parameters, Arguments,                                                    \
                 if (recording.load(std::memory_order_relaxed)) Forget, TimedCall call(*thread), \
                 nothing(), Trace)

#pragma GCC visibility push(default)
extern "C" {

#include "profiles/recorder/calls.def"

}  // extern "C"
#pragma GCC visibility pop
