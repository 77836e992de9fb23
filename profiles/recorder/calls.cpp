// The wrappers of calls.def, each under both its names: bindings of other languages call PMPI_X.
#include "profiles/recorder/recorder.hpp"

using namespace huddle::recorder;  // NOLINT: the macros below stand for this file's code

#pragma GCC visibility push(default)
extern "C" {

#define HUDDLE_CALL(Name, Parameters, Arguments, Book)                 \
  int MPI_##Name Parameters {                                          \
    const auto real = HUDDLE_REAL(Name);                               \
    if (!enter_call()) return real Arguments;                          \
    const std::uint64_t begin = TickClock::now();                      \
    const int outcome = real Arguments;                                \
    constexpr int kAllReceive [[maybe_unused]] = Booking::kAllReceive; \
    leave_call(Operation::k##Name, begin, outcome == MPI_SUCCESS,      \
               [&](Booking& booking) { booking.Book; });               \
    return outcome;                                                    \
  }                                                                    \
  decltype(PMPI_##Name) PMPI_##Name __attribute__((alias("MPI_" #Name)));

#define HUDDLE_RELEASE(Name, Parameters, Arguments, Forget)                         \
  int MPI_##Name Parameters {                                                       \
    const auto real = HUDDLE_REAL(Name);                                            \
    if (recording.load(std::memory_order_relaxed)) Forget;                          \
    if (!enter_call()) return real Arguments;                                       \
    const std::uint64_t begin = TickClock::now();                                   \
    const int outcome = real Arguments;                                             \
    leave_call(Operation::k##Name, begin, outcome == MPI_SUCCESS, [](Booking&) {}); \
    return outcome;                                                                 \
  }                                                                                 \
  decltype(PMPI_##Name) PMPI_##Name __attribute__((alias("MPI_" #Name)));

#include "profiles/recorder/calls.def"

}  // extern "C"
#pragma GCC visibility pop
