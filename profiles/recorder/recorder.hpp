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

/// Whether a call that begins now is to be recorded.
inline bool enter_call() noexcept {
  if (!recording.load(std::memory_order_relaxed) || here.inside) return false;
  here.inside = true;
  return true;
}

/// This thread's state, made if it has none. Throws std::bad_alloc.
ThreadState& claim_thread_state();

/// Valid once recording was true.
PersistentSends& persistent_sends() noexcept;

inline void forget_request(MPI_Request request) {
  persistent_sends().forget(request);
}

/// Counts could not be kept: no profile is better than a wrong one.
void give_up_recording() noexcept;

/// Books a call that began at `begin` and is over; `book` is given its Booking if it succeeded. The
/// wall between the program and what the recorder throws.
template <class Book>
inline void leave_call(Operation operation, std::uint64_t begin, bool succeeded,
                       Book book) noexcept {
  const std::uint64_t ticks = TickClock::now() - begin;
  try {
    ThreadState& state = here.state != nullptr ? *here.state : claim_thread_state();
    state.counters.add_time(ticks);
    Booking booking(state, persistent_sends(), operation, ticks);
    if (succeeded) book(booking);
  } catch (...) {
    give_up_recording();
  }
  here.inside = false;
}

}  // namespace huddle::recorder
