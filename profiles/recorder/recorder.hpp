#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "profiles/recorder/booking.hpp"
#include "profiles/recorder/tick_clock.hpp"

namespace huddle::recorder {

/// True from the end of MPI_Init to the begin of MPI_Finalize, if the environment asks for a
/// profile (see destination.hpp). The wrappers look here first.
extern constinit std::atomic<bool> recording;

/// Before MPI_Init, by the thread that calls it.
void prepare_recording() noexcept;

/// After a successful MPI_Init, by the thread that called it. Collective over MPI_COMM_WORLD if the
/// environment asks for a profile, but only once it is known that all ranks take part.
void start_recording() noexcept;

/// If MPI_Init failed, or the program ends in it. Calls no MPI function.
void withdraw_request() noexcept;

/// Before MPI_Finalize. Collective over MPI_COMM_WORLD if recording: rank 0 writes the profile. If
/// that fails, it says so in one line.
void finish_recording() noexcept;

/// The run ends here, without the other ranks' doing: writes a profile that holds this rank only
/// and is marked as cut short, unless another rank was first. Calls no MPI function.
/// `reason` stands before " rank <this rank>", `more` behind.
void cut_recording_short(const std::string& reason, const std::string& more) noexcept;

/// What belongs to the calling thread.
struct Here {
  ThreadState* state = nullptr;
  /// Inside a wrapper: what the MPI library calls meanwhile is not the program's doing.
  bool inside = false;
};
extern constinit thread_local Here here;

/// This thread's state, made if it has none; a null pointer if there is no memory for it.
ThreadState* claim_thread_state() noexcept;

/// Valid once recording was true.
SharedBooks& shared_books() noexcept;

inline void forget_request(MPI_Request request) {
  shared_books().persistent.forget(request);
}

/// Counts could not be kept: no profile is better than a wrong one.
void give_up_recording() noexcept;

/// The state of a thread whose call begins now, or a null pointer if it is not to be recorded.
inline ThreadState* enter_call() noexcept {
  if (here.inside || !recording.load(std::memory_order_relaxed)) return nullptr;
  ThreadState* const state = here.state != nullptr ? here.state : claim_thread_state();
  here.inside = state != nullptr;
  return state;
}

/// Books a call that is over; `book` is given its Booking. The wall between the program and what
/// the recorder throws.
template <class Book>
inline void book_call(ThreadState& state, Operation operation, std::uint64_t ticks,
                      Book book) noexcept {
  try {
    Booking booking(state, shared_books(), operation, ticks);
    book(booking);
  } catch (...) {
    give_up_recording();
  }
}

/// A call whose time is taken if the thread's clock says so.
class SampledCall {
 public:
  explicit SampledCall(ThreadState& state)
      : state_(state), due_(state.clock.due()), begin_(due_ ? TickClock::now() : 0) {}

  template <class Book>
  void leave(Operation operation, bool succeeded, Book book) const noexcept {
    const auto number = static_cast<std::uint32_t>(operation);
    if (due_) {
      const std::uint64_t end = TickClock::now();
      state_.counters.add_timed_call(number, end - begin_, state_.clock.weigh(end));
    } else {
      state_.counters.add_call(number);
    }
    if (succeeded) book_call(state_, operation, 0, book);
    here.inside = false;
  }

 private:
  ThreadState& state_;
  bool due_;
  std::uint64_t begin_;
};

/// A call whose time is taken in any case.
class TimedCall {
 public:
  explicit TimedCall(ThreadState& state) : state_(state), begin_(TickClock::now()) {}

  template <class Book>
  void leave(Operation operation, bool succeeded, Book book) const noexcept {
    const std::uint64_t end = book_time(operation);
    if (succeeded) book_call(state_, operation, end - begin_, book);
    here.inside = false;
  }

 protected:
  [[nodiscard]] ThreadState& state() const { return state_; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
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

  template <class Book>
  void leave(Operation operation, bool succeeded, Book book) const noexcept {
    const std::uint64_t end = book_time(operation);
    if (succeeded) book_call(state(), operation, end - begin(), book);
    if (state().phases != nullptr)
      state().phases->begin_phase(TickClock::now(), state().counters.ticks_inside());
    here.inside = false;
  }

 private:
  void end_phase(Operation operation, const void* return_address, const void* frame) noexcept;
};

}  // namespace huddle::recorder
