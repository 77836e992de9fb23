// Where a program of Fortran's begins and ends its run: a tool that has Fortran's names calls
// PMPI_X by them, and there is nothing else by which its own calls in MPI_Init and MPI_Finalize
// would be told from the program's. The names are those that all compilers of today make of
// mpif.h's and of the module mpi's; other ones are known by the calls of PMPI_X that they make.
#include <dlfcn.h>

#include "profiles/recorder/outermost_call.hpp"

using namespace huddle::recorder;  // NOLINT: C functions can't be members of a namespace

namespace {

// MPI_Fint of Debian's libraries. The standard ABI has none, since it leaves Fortran to others.
using FortranInteger = int;

// An interpreter may have loaded Fortran's interface for one of its modules alone.
void* next_for(const char* name, const void* return_address) noexcept {
  Dl_info caller{};
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found != nullptr) return find_real(name);
  if (::dladdr(return_address, &caller) == 0) return find_real(name);
  void* const handle = ::dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return find_real(name);
  found = ::dlsym(handle, name);
  ::dlclose(handle);  // its module holds it, too
  return found != nullptr ? found : find_real(name);
}

#define HUDDLE_NEXT_OF_FORTRAN(name)                                                      \
  ([](const void* caller) noexcept {                                                      \
    static const auto kNext = reinterpret_cast<decltype(&name)>(next_for(#name, caller)); \
    return kNext;                                                                         \
  }(__builtin_return_address(0)))

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void mpi_init_(FortranInteger* error);
void mpi_init_thread_(FortranInteger* required, FortranInteger* provided, FortranInteger* error);
void mpi_finalize_(FortranInteger* error);

void mpi_init_(FortranInteger* error) {
  const OutermostCall outermost;
  if (outermost) prepare_recording();
  HUDDLE_NEXT_OF_FORTRAN(mpi_init_)(error);
  if (outermost) begin_run(error == nullptr ? MPI_SUCCESS : *error, HUDDLE_CALL_OF_RUN(kInit));
}

void mpi_init_thread_(FortranInteger* required, FortranInteger* provided, FortranInteger* error) {
  const OutermostCall outermost;
  if (outermost) prepare_recording();
  HUDDLE_NEXT_OF_FORTRAN(mpi_init_thread_)(required, provided, error);
  if (outermost)
    begin_run(error == nullptr ? MPI_SUCCESS : *error, HUDDLE_CALL_OF_RUN(kInitThread));
}

void mpi_finalize_(FortranInteger* error) {
  const OutermostCall outermost;
  if (outermost) end_counting(HUDDLE_CALL_OF_RUN(kFinalize));
  HUDDLE_NEXT_OF_FORTRAN(mpi_finalize_)(error);  // which comes to PMPI_Finalize, or MPI_Finalize
}

}  // extern "C"
#pragma GCC visibility pop
