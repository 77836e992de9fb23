#pragma once

// The wrappers that the lines of calls.def and calls_of_mpi_4.def stand for, as macros: whoever
// includes one of these lists behind this file has a wrapper for each line, under both its names,
// since bindings of other languages call PMPI_X, and so do other tools.

#include "profiles/recorder/other_tools.hpp"
#include "profiles/recorder/recorder.hpp"

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
// constructed before the real call and left after it. What the program calls by MPI_X goes to the
// next tool's MPI_X if there is one; what that tool then passes on by PMPI_X is counted in its
// place (see `awaited`).
#define HUDDLE_RECORDED(Name, Arguments, Before, Call, Account, Trace)                        \
  const void* const caller [[maybe_unused]] = thread_context.caller;                          \
  void* const tool = thread_context.by_mpi ? tool_function(Operation::k##Name) : nullptr;     \
  const auto real = tool == nullptr                                                           \
                        ? real_##Name.load(std::memory_order_relaxed)                         \
                        : reinterpret_cast<decltype(&PMPI_##Name)>(tool); /* NOLINT: dlsym */ \
  ThreadState* const thread = enter_call();                                                   \
  constexpr Operation kOperation = counted_as(Operation::k##Name);                            \
  constexpr int kAllReceive [[maybe_unused]] = CallAccounting::kAllReceive;                   \
  const auto account = [&](CallAccounting& accounting) { accounting.Account; };               \
  if (thread == nullptr) {                                                                    \
    Before;                                                                                   \
    if (tool != nullptr || thread_context.awaited != Operation::k##Name) [[likely]]           \
      return real Arguments;                                                                  \
    const std::uint64_t begin = TickClock::now();                                             \
    const int outcome = real Arguments;                                                       \
    count_passed_on(kOperation, outcome, TickClock::now() - begin, account);                  \
    return outcome;                                                                           \
  }                                                                                           \
  const Call;                                                                                 \
  if (tool != nullptr) thread_context.awaited = Operation::k##Name;                           \
  if (thread->trace != nullptr) [[unlikely]] {                                                \
    TracedCall traced(*thread, Operation::k##Name, call.begin(), caller,                      \
                      __builtin_frame_address(0));                                            \
    const auto trace = traced.Trace;                                                          \
    Before;                                                                                   \
    const int outcome = real Arguments;                                                       \
    call.leave(kOperation, is_to_be_counted(tool) && outcome == MPI_SUCCESS, account,         \
               [&](std::uint64_t end) { traced.leave(end, outcome, trace); });                \
    return outcome;                                                                           \
  }                                                                                           \
  Before;                                                                                     \
  const int outcome = real Arguments;                                                         \
  call.leave(kOperation, is_to_be_counted(tool) && outcome == MPI_SUCCESS, account,           \
             [](std::uint64_t) {});                                                           \
  return outcome;

// Its two names do the same, but for tools. (Without optimisation this is a call, and not a jump.)
#define HUDDLE_NAMED(Prefix, ByMpi, Name, Parameters, Arguments) \
  int Prefix##Name Parameters {                                  \
    thread_context.caller = __builtin_return_address(0);         \
    thread_context.by_mpi = ByMpi;                               \
    return recorded_##Name Arguments;                            \
  }

#define HUDDLE_WRAPPER(Name, Parameters, Arguments, Before, Call, Account, Trace) \
  namespace {                                                                     \
  HUDDLE_REAL_FUNCTION(Name, Parameters, Arguments)                               \
  [[gnu::noinline]] int recorded_##Name Parameters {                              \
    HUDDLE_RECORDED(Name, Arguments, Before, Call, Account, Trace)                \
  }                                                                               \
  }                                                                               \
  HUDDLE_NAMED(MPI_, true, Name, Parameters, Arguments)                           \
  HUDDLE_NAMED(PMPI_, false, Name, Parameters, Arguments)

// A wrapper of calls that programs make in great numbers. The path of a call that is not timed is
// kept short; all others go through recorded_##Name, so that they cost that path no registers.
// Where tools follow, all calls are timed.
#define HUDDLE_QUICK_NAMED(Prefix, ByMpi, Name, Parameters, Arguments, Quick) \
  int Prefix##Name Parameters {                                               \
    ThreadState* const thread = thread_context.ready;                         \
    if (thread == nullptr || !thread->clock.passes_over()) [[unlikely]] {     \
      thread_context.caller = __builtin_return_address(0);                    \
      thread_context.by_mpi = ByMpi;                                          \
      return recorded_##Name Arguments;                                       \
    }                                                                         \
    constexpr Operation kOperation = counted_as(Operation::k##Name);          \
    const auto real = real_##Name.load(std::memory_order_relaxed);            \
    Quick                                                                     \
  }
#define HUDDLE_QUICK_WRAPPER(Name, Parameters, Arguments, Account, Trace, Quick)  \
  namespace {                                                                     \
  HUDDLE_REAL_FUNCTION(Name, Parameters, Arguments)                               \
  [[gnu::cold, gnu::noinline]] int recorded_##Name Parameters {                   \
    HUDDLE_RECORDED(Name, Arguments, , TimedSample call(*thread), Account, Trace) \
  }                                                                               \
  }                                                                               \
  HUDDLE_QUICK_NAMED(MPI_, true, Name, Parameters, Arguments, Quick)              \
  HUDDLE_QUICK_NAMED(PMPI_, false, Name, Parameters, Arguments, Quick)

#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace)                            \
  HUDDLE_QUICK_WRAPPER(                                                                     \
      Name, Parameters, Arguments, Account, Trace, thread_context.ready = nullptr;          \
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
#define HUDDLE_DELIMITER(Name, Parameters, Arguments, Account, Trace)                 \
  HUDDLE_WRAPPER(Name, Parameters, Arguments, ,                                       \
                 DelimitingCall call(*thread, counted_as(Operation::k##Name), caller, \
                                     __builtin_frame_address(0)),                     \
                 Account, Trace)
#define HUDDLE_RELEASE(Name, Parameters, Arguments, Forget, Trace)                               \
  HUDDLE_WRAPPER(Name, Parameters, Arguments,                                                    \
                 if (recording.load(std::memory_order_relaxed)) Forget, TimedCall call(*thread), \
                 nothing(), Trace)
