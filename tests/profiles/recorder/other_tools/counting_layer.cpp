// Another tool in MPI's profiling interface, which has all functions that the recorder has: it
// counts the calls of each and passes them on. It also sends, and meets the other ranks, on its own
// account, in MPI_Init and in MPI_Finalize. Each rank adds lines "RANK FUNCTION CALLS" to the file
// that LAYER_LOG names. PASS_ON says how it finds the functions that it calls: by_name (PMPI_X, as
// most tools do), next_pmpi or next_mpi (the next PMPI_X or MPI_X behind it, as some do).
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "profiles/recorder/operations.hpp"

namespace {

using huddle::recorder::kOperationNames;
using huddle::recorder::kOperations;
using huddle::recorder::Operation;

constinit std::array<std::atomic<long>, kOperations> calls{};

enum class PassOn { kByName, kNextPmpi, kNextMpi };

PassOn pass_on() {
  static const PassOn kHow = [] {
    const char* const how = std::getenv("PASS_ON");
    const std::string text = how == nullptr ? "" : how;
    return text == "next_pmpi"  ? PassOn::kNextPmpi
           : text == "next_mpi" ? PassOn::kNextMpi
                                : PassOn::kByName;
  }();
  return kHow;
}

template <class Function>
Function* passed_to(Function* by_name, const char* pmpi) {
  if (pass_on() == PassOn::kByName) return by_name;
  void* const found = ::dlsym(RTLD_NEXT, pass_on() == PassOn::kNextPmpi ? pmpi : pmpi + 1);
  return reinterpret_cast<Function*>(found);
}

// Functions that the library may lack.
extern "C" {
#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace) \
  [[gnu::weak]] extern int PMPI_##Name Parameters;
#include "profiles/recorder/calls_of_mpi_4.def"

#include "profiles/recorder/call_kinds_end.def"
}

#define PASSED_TO(Name) (passed_to(&PMPI_##Name, "PMPI_" #Name))

using FortranFunction = void (*)(MPI_Fint*);

FortranFunction fortran_function(const char* name) {
  return reinterpret_cast<FortranFunction>(::dlsym(RTLD_DEFAULT, name));
}

int world_rank = 0;

// Sends what the program has not.
void talk() {
  int ranks = 0;
  int mine = world_rank, most = 0;
  PASSED_TO(Comm_rank)(MPI_COMM_WORLD, &world_rank);
  PASSED_TO(Comm_size)(MPI_COMM_WORLD, &ranks);
  PASSED_TO(Allreduce)(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm own = MPI_COMM_NULL;
  PASSED_TO(Comm_dup)(MPI_COMM_WORLD, &own);
  PASSED_TO(Sendrecv)
  (&mine, 1, MPI_INT, (world_rank + 1) % ranks, 3, &most, 1, MPI_INT,
   (world_rank + ranks - 1) % ranks, 3, own, MPI_STATUS_IGNORE);
  PASSED_TO(Comm_free)(&own);
  PASSED_TO(Barrier)(MPI_COMM_WORLD);
}

void write_log() {
  const char* const path = std::getenv("LAYER_LOG");
  if (path == nullptr) return;
  std::string text;
  for (std::size_t i = 0; i < kOperations; ++i)
    if (calls[i].load() != 0)
      text += std::to_string(world_rank) + " " + std::string(kOperationNames[i]) + " " +
              std::to_string(calls[i].load()) + "\n";
  text += std::to_string(world_rank) + " Finalize 1\n";
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0 || ::write(file, text.data(), text.size()) < 0) std::perror(path);
  if (file >= 0) ::close(file);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace)      \
  int MPI_##Name Parameters {                                         \
    calls[static_cast<std::size_t>(Operation::k##Name)].fetch_add(1); \
    static const auto kNext = PASSED_TO(Name);                        \
    return kNext Arguments;                                           \
  }
#include "profiles/recorder/calls.def"

#include "profiles/recorder/calls_of_mpi_4.def"

#include "profiles/recorder/call_kinds_end.def"

int MPI_Init(int* argc, char*** argv) {
  const int status = PASSED_TO(Init)(argc, argv);
  talk();
  return status;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = PASSED_TO(Init_thread)(argc, argv, required, provided);
  talk();
  return status;
}

int MPI_Finalize() {
  talk();
  write_log();
  return PASSED_TO(Finalize)();
}

// Fortran's, as tools have them that see Fortran's calls with every MPI library.
void mpi_init_(MPI_Fint* error);
void mpi_finalize_(MPI_Fint* error);

void mpi_init_(MPI_Fint* error) {
  fortran_function("pmpi_init_")(error);
  talk();
}

void mpi_finalize_(MPI_Fint* error) {
  talk();
  write_log();
  fortran_function("pmpi_finalize_")(error);
}

}  // extern "C"
#pragma GCC visibility pop
