#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "profiles/recorder/call_accounting.hpp"
#include "profiles/recorder/lifecycle.hpp"
#include "profiles/recorder/process/tick_clock.hpp"
#include "profiles/recorder/traced_call.hpp"

namespace huddle::recorder {

/// True from the end of MPI_Init to the begin of MPI_Finalize, if the environment asks for a
/// profile (see destination.hpp). The wrappers look here first.
extern constinit std::atomic<bool> recording;

/// Before MPI_Init, by the thread that calls it.
void prepare_recording() noexcept;

/// A call at a run's begin or end, as a trace tells it: its wrapper's return address and frame.
struct CallOfRun {
  LifecycleCall call;
  const void* return_address = nullptr;
  const void* frame = nullptr;
};

/// After a successful MPI_Init, by the thread that called it. Collective over MPI_COMM_WORLD if the
/// environment asks for a profile, but only once it is known that all ranks take part.
void start_recording(const CallOfRun& init) noexcept;

/// If MPI_Init failed, or the program ends in it. Calls no MPI function.
void withdraw_request() noexcept;

/// Before MPI_Finalize. Collective over MPI_COMM_WORLD if recording: rank 0 writes the profile. If
/// that fails, it says so in one line.
void finish_recording(const CallOfRun& finalize) noexcept;

/// The run ends here, without the other ranks' doing: writes a profile that holds this rank only
/// and is marked as cut short, unless another rank was first. Calls no MPI function.
/// `reason` stands before " rank <this rank>", `more` behind.
void cut_recording_short(const std::string& reason, const std::string& more) noexcept;

/// What belongs to the calling thread.
struct Here {
  /// Its state while a call of it is to be recorded: it has one, and it is not inside a call. What
  /// the MPI library calls meanwhile is not the program's doing.
  ThreadState* ready = nullptr;
  /// The same, inside calls too.
  ThreadState* state = nullptr;
  /// Nothing more is recorded of this thread, or it is inside MPI_Init or MPI_Finalize.
  bool silent = false;
  /// Where the call that goes the timed way was called from.
  const void* caller = nullptr;
};
extern constinit thread_local Here here;

/// Where a thread's call is not to be recorded as usual: makes the state of a thread that begins
/// its first call, and then returns it; else a null pointer.
[[gnu::cold]] ThreadState* enter_first_call() noexcept;

/// Valid once recording was true.
SharedAccounts& shared_books() noexcept;

/// To be called before MPI frees what they name, with what the program gave it: a null pointer is
/// MPI's to complain about. Safe from any thread.
void forget_request(const MPI_Request* request) noexcept;
void forget_communicator(const MPI_Comm* communicator) noexcept;
void forget_window(const MPI_Win* window) noexcept;

/// Counts could not be kept: no profile is better than a wrong one.
void give_up_recording() noexcept;

/// The state of a thread whose call begins now, or a null pointer if it is not to be recorded.
/// These run at each call of MPI: a load, a test and a store in each direction.
[[gnu::always_inline]] inline ThreadState* enter_call() noexcept {
  ThreadState* const state = here.ready;
  if (state == nullptr) [[unlikely]]
    return enter_first_call();
  here.ready = nullptr;
  return state;
}
[[gnu::always_inline]] inline void leave_call(ThreadState& state) noexcept {
  here.ready = &state;
}

/// Books a call that is over; `book` is given its CallAccounting. The wall between the program and
/// what the recorder throws.
template <class Book>
[[gnu::always_inline]] inline void account_call(ThreadState& state, Operation operation,
                                                std::uint64_t ticks, Book book) noexcept {
  try {
    CallAccounting booking(state, shared_books(), operation, ticks);
    book(booking);
  } catch (...) {
    give_up_recording();
  }
}

/// A call that the thread's clock has not passed over: its time stands for those that it has.
/// leave() books what it did by `book` and, with the time it ended at, lets `tell` tell the trace.
class TimedSample {
 public:
  explicit TimedSample(ThreadState& state) : state_(state), begin_(TickClock::now()) {}
  [[nodiscard]] std::uint64_t begin() const { return begin_; }

  template <class Book, class Tell>
  void leave(Operation operation, bool succeeded, Book book, Tell tell) const noexcept {
    const std::uint64_t end = TickClock::now();
    state_.counters.add_timed_call(static_cast<std::uint32_t>(operation), end - begin_,
                                   state_.clock.weigh(end));
    if (succeeded) account_call(state_, operation, 0, book);
    tell(end);
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

  template <class Book, class Tell>
  void leave(Operation operation, bool succeeded, Book book, Tell tell) const noexcept {
    const std::uint64_t end = book_time(operation);
    if (succeeded) account_call(state_, operation, end - begin_, book);
    tell(end);
    leave_call(state_);
  }

 protected:
  [[nodiscard]] ThreadState& state() const { return state_; }
  std::uint64_t book_time(Operation operation) const noexcept {
    const std::uint64_t end = TickClock::now();
    state_.counters.add_timed_call(static_cast<std::uint32_t>(operation), end - begin_, 1);
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

  template <class Book, class Tell>
  void leave(Operation operation, bool succeeded, Book book, Tell tell) const noexcept {
    const std::uint64_t end = book_time(operation);
    if (succeeded) account_call(state(), operation, end - begin(), book);
    tell(end);
    if (state().moves != nullptr) [[unlikely]]
      follow_moves();
    if (state().phases != nullptr)
      state().phases->begin_phase(TickClock::now(), state().counters.ticks_inside());
    leave_call(state());
  }

 private:
  [[gnu::cold]] void follow_moves() const noexcept;
  void end_phase(Operation operation, const void* return_address, const void* frame) noexcept;
};

}  // namespace huddle::recorder
