// The wrappers of calls.def, each under both its names: bindings of other languages call PMPI_X.
#include "profiles/recorder/recorder.hpp"

using namespace huddle::recorder;  // NOLINT: the macros below stand for this file's code

#pragma GCC visibility push(default)
extern "C" {

// What is common to all: `Call` is made before the real call, and told after it.
#define HUDDLE_WRAPPER(Name, Parameters, Arguments, Before, Call, Book)                      \
  int MPI_##Name Parameters {                                                                \
    const auto real = HUDDLE_REAL(Name);                                                     \
    Before;                                                                                  \
    ThreadState* const thread = enter_call();                                                \
    if (thread == nullptr) return real Arguments;                                            \
    constexpr Operation kOperation [[maybe_unused]] = Operation::k##Name;                    \
    const Call;                                                                              \
    const int outcome = real Arguments;                                                      \
    constexpr int kAllReceive [[maybe_unused]] = Booking::kAllReceive;                       \
    call.leave(kOperation, outcome == MPI_SUCCESS, [&](Booking& booking) { booking.Book; }); \
    return outcome;                                                                          \
  }                                                                                          \
  decltype(PMPI_##Name) PMPI_##Name __attribute__((alias("MPI_" #Name)));

#define HUDDLE_CALL(Name, Parameters, Arguments, Book) \
  HUDDLE_WRAPPER(Name, Parameters, Arguments, , SampledCall call(*thread), Book)
#define HUDDLE_COLLECTIVE(Name, Parameters, Arguments, Book) \
  HUDDLE_WRAPPER(Name, Parameters, Arguments, , TimedCall call(*thread), Book)
#define HUDDLE_DELIMITER(Name, Parameters, Arguments, Book)                            \
  HUDDLE_WRAPPER(Name, Parameters, Arguments, ,                                        \
                 DelimitingCall call(*thread, kOperation, __builtin_return_address(0), \
                                     __builtin_frame_address(0)),                      \
                 Book)
#define HUDDLE_RELEASE(Name, Parameters, Arguments, Forget)                                        \
  HUDDLE_WRAPPER(Name, Parameters, Arguments,                                                      \
                 if (recording.load(std::memory_order_relaxed)) Forget, SampledCall call(*thread), \
                 nothing())

#include "profiles/recorder/calls.def"

}  // extern "C"
#pragma GCC visibility pop
