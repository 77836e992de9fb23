#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "profiles/recorder/call_accounting.hpp"
#include "profiles/recorder/openmp/region_records.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/traced_call.hpp"

namespace huddle::counters {
class CounterSet;
}

namespace huddle::recorder {

/// True from the end of MPI_Init to the begin of MPI_Finalize, if the environment asks for a
/// profile (see Destination in run_request.hpp). The wrappers look here first.
extern constinit std::atomic<bool> recording;

/// Before MPI_Init, by the thread that calls it.
void prepare_recording() noexcept;

/// A call at a run's begin or end, for the trace: its wrapper's return address and frame.
struct CallOfRun {
  LifecycleCall call;
  const void* return_address = nullptr;
  const void* frame = nullptr;
};

/// As soon as the MPI library's own MPI_Init has succeeded, by the thread that called it: other
/// tools may keep ranks that the program never gets. Collective over MPI_COMM_WORLD if the
/// environment asks for a profile, but only once it is known that all ranks take part. Nothing is
/// counted yet. Does nothing the second time.
void start_recording() noexcept;

/// After that, when MPI_Init returns to the program.
void begin_counting(const CallOfRun& init) noexcept;

/// If MPI_Init failed, or the program ends in it. Calls no MPI function.
void withdraw_request() noexcept;

/// As the process ends: prints one line, on rank 0, if the environment asks for a profile of a
/// program that used MPI and whose MPI_Init the recorder did not see: it used sessions alone, or
/// called the library past the recorder. Calls no MPI function but MPI_Initialized.
void report_unseen_start(bool used_sessions) noexcept;

/// When the program calls MPI_Finalize. Does nothing the second time.
void end_counting(const CallOfRun& finalize) noexcept;

/// Before the MPI library's own MPI_Finalize. Collective over MPI_COMM_WORLD if recording: rank 0
/// writes the profile. If that fails, it prints one line. Does nothing the second time.
void finish_recording() noexcept;

/// The same at the begin of the MPI library's MPI_Finalize, whoever calls that: a tool may look it
/// up past the recorder.
void finish_recording_in_finalize() noexcept;

/// The run ends here although the other ranks have not ended it: writes a profile of what is known
/// and marks it as cut short, unless another rank was first. Calls no MPI function. The profile's
/// reason is `reason`, " rank <this rank>" and `more`.
void cut_recording_short(const std::string& reason, const std::string& more) noexcept;

/// State of the calling thread.
struct ThreadContext {
  /// Its state, if it has one and is not inside a call: the MPI library's own calls inside a call
  /// are not recorded.
  ThreadState* ready = nullptr;
  /// The same, inside calls too.
  ThreadState* state = nullptr;
  /// Nothing more is recorded of this thread, or it is inside MPI_Init or MPI_Finalize.
  bool silent = false;
  /// Where the call that takes the timed path was called from, and whether by MPI_X and not by
  /// PMPI_X.
  const void* caller = nullptr;
  bool by_mpi = false;
  /// The program's call that another tool has not passed on yet; else kCount. The tool's
  /// own calls don't count; the program's counts as it is passed on, with the communicator that the
  /// tool gave it.
  Operation awaited = Operation::kCount;
};
extern constinit thread_local ThreadContext thread_context;

/// For a call by a thread that is not ready: makes and returns the state of a thread that begins
/// its first call; a null pointer if the call is not to be recorded.
[[gnu::cold]] ThreadState* enter_first_call() noexcept;

/// Valid once recording was true.
SharedAccounts& shared_accounts() noexcept;

/// The regions of OpenMP of this rank. Likewise.
RegionRecords& run_regions() noexcept;

/// The counters of this process; null if nothing is counted. Likewise.
const counters::CounterSet* run_counters() noexcept;

/// To be called before MPI frees what they name, with the program's argument: a null pointer is
/// left to MPI to complain about. Safe from any thread.
void forget_request(const MPI_Request* request) noexcept;
void forget_communicator(const MPI_Comm* communicator) noexcept;
void forget_window(const MPI_Win* window) noexcept;

/// Counts could not be kept: no profile is better than a wrong one.
void give_up_recording() noexcept;

/// The state of a thread whose call begins now, or a null pointer if it is not to be recorded.
/// These run at each call of MPI: a load, a test and a store in each direction.
[[gnu::always_inline]] inline ThreadState* enter_call() noexcept {
  ThreadState* const state = thread_context.ready;
  if (state == nullptr) [[unlikely]]
    return enter_first_call();
  thread_context.ready = nullptr;
  return state;
}
[[gnu::always_inline]] inline void leave_call(ThreadState& state) noexcept {
  thread_context.ready = &state;
}

/// Counts a call that is over: calls `account` with its CallAccounting. The wall between the
/// program and what the recorder throws.
template <class Account>
[[gnu::always_inline]] inline void account_call(ThreadState& state, Operation operation,
                                                std::uint64_t ticks, Account account) noexcept {
  try {
    CallAccounting accounting(state, shared_accounts(), operation, ticks);
    account(accounting);
  } catch (...) {
    give_up_recording();
  }
}

/// A call that a tool passed on is over: counts it as the one that the program made.
template <class Account>
inline void count_passed_on(Operation operation, int outcome, std::uint64_t ticks,
                            Account account) noexcept {
  thread_context.awaited = Operation::kCount;
  if (outcome == MPI_SUCCESS) account_call(*thread_context.state, operation, ticks, account);
}

/// Tells if a call of the program's is to be counted now that it is over: `tool`, if any, has not
/// passed it on by PMPI_X.
inline bool is_to_be_counted(const void* tool) noexcept {
  if (tool == nullptr) [[likely]]
    return true;
  const bool is_awaited = thread_context.awaited != Operation::kCount;
  thread_context.awaited = Operation::kCount;
  return is_awaited;
}

/// A call that the thread's clock samples: its time stands for those that were passed over. leave()
/// counts what it did by `account` and calls `trace` with the time at which it ended.
class TimedSample {
 public:
  explicit TimedSample(ThreadState& state) : state_(state), begin_(TickClock::now()) {}
  [[nodiscard]] std::uint64_t begin() const { return begin_; }

  template <class Account, class Trace>
  void leave(Operation operation, bool succeeded, Account account, Trace trace) const noexcept {
    const std::uint64_t end = TickClock::now();
    const bool follows_timed = state_.clock.times_all();
    state_.counters.add_timed_call(static_cast<std::uint32_t>(operation), begin_, end,
                                   state_.clock.weigh(end), follows_timed);
    if (succeeded) account_call(state_, operation, 0, account);
    trace(end);
    leave_call(state_);
  }

 private:
  ThreadState& state_;
  std::uint64_t begin_;
};

/// A call whose time is taken in any case.
class TimedCall {
 public:
  explicit TimedCall(ThreadState& state) : state_(state), begin_(TickClock::now()) {}
  [[nodiscard]] std::uint64_t begin() const { return begin_; }

  template <class Account, class Trace>
  void leave(Operation operation, bool succeeded, Account account, Trace trace) const noexcept {
    const std::uint64_t end = add_time(operation);
    if (succeeded) account_call(state_, operation, end - begin_, account);
    trace(end);
    leave_call(state_);
  }

 protected:
  [[nodiscard]] ThreadState& state() const { return state_; }
  std::uint64_t add_time(Operation operation) const noexcept {
    const std::uint64_t end = TickClock::now();
    state_.counters.add_timed_call(static_cast<std::uint32_t>(operation), begin_, end, 1,
                                   state_.clock.times_all());
    return end;
  }

 private:
  ThreadState& state_;
  std::uint64_t begin_;
};

/// One that ends a phase. `return_address` and `frame` are the wrapper's (see call_sites.hpp).
class DelimitingCall : public TimedCall {
 public:
  DelimitingCall(ThreadState& state, Operation operation, const void* return_address,
                 const void* frame) noexcept
      : TimedCall(state) {
    if (state.phases != nullptr) end_phase(operation, return_address, frame);
  }

  template <class Account, class Trace>
  void leave(Operation operation, bool succeeded, Account account, Trace trace) const noexcept {
    const std::uint64_t end = add_time(operation);
    if (succeeded) account_call(state(), operation, end - begin(), account);
    trace(end);
    if (state().actor != nullptr) [[unlikely]]
      act();
    if (state().phases != nullptr)
      state().phases->begin_phase(TickClock::now(), state().counters.ticks_inside());
    leave_call(state());
  }

 private:
  [[gnu::cold]] void act() const noexcept;
  void end_phase(Operation operation, const void* return_address, const void* frame) noexcept;
};

}  // namespace huddle::recorder
