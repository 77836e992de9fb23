#pragma once

// The common part of the wrappers of MPI_Init and MPI_Finalize, by whichever name and in whichever
// language they are called.

#include "profiles/recorder/recorder.hpp"

namespace huddle::recorder {

/// The calling thread is in MPI_Init or MPI_Finalize. A tool may be called by one name and call
/// another, and the MPI library may call one by the other.
class OutermostCall {
 public:
  OutermostCall() : is_(!thread_context.silent) { thread_context.silent = true; }
  ~OutermostCall() {
    if (is_) thread_context.silent = false;
  }
  OutermostCall(const OutermostCall&) = delete;
  OutermostCall& operator=(const OutermostCall&) = delete;
  explicit operator bool() const { return is_; }

 private:
  bool is_;
};

/// The MPI library's own MPI_Init is over.
inline void note_init(int status) noexcept {
  if (status == MPI_SUCCESS)
    start_recording();
  else
    withdraw_request();
}

/// MPI_Init returns to the program.
inline void begin_run(int status, const CallOfRun& init) noexcept {
  note_init(status);  // also where a tool called the library's past the recorder
  if (status == MPI_SUCCESS) begin_counting(init);
}

}  // namespace huddle::recorder

/// In a wrapper: the call that it wraps.
#define HUDDLE_CALL_OF_RUN(call)                                                 \
  (huddle::recorder::CallOfRun{LifecycleCall::call, __builtin_return_address(0), \
                               __builtin_frame_address(0)})
