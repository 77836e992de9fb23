// The parts of MPI that every C++ program of this folder needs besides its own communication.
#pragma once

// The C++ bindings that MPI-3 removed would only add a library and warnings.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <cstdio>
#include <string>

namespace programs {

enum ExitCode { kRight = 0, kWrong = 1, kBadArguments = 2 };

// MPI_Init for its lifetime. MPI's default error handler ends the job when a call fails, so that no
// program here looks at return codes.
class MpiSession {
 public:
  MpiSession(int* argc, char*** argv) { MPI_Init(argc, argv); }
  ~MpiSession() { MPI_Finalize(); }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// False on one machine, too, with a library that takes each rank to be on a node of its own, as
// Debian 14's MPICH does. Collective, without traffic.
inline bool all_share_memory() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int sharing = 0;
  MPI_Comm_size(node, &sharing);
  MPI_Comm_free(&node);
  return sharing == world_size();
}

// Says on standard error, in one write, what a rank found wrong.
inline void report(const char* program, const std::string& message) {
  const std::string line =
      std::string(program) + ": rank " + std::to_string(world_rank()) + ": " + message + "\n";
  std::fputs(line.c_str(), stderr);
}

// A number as a failure message shows it: enough digits to see any difference.
inline std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// True on every rank if it is true on every rank. Collective: one MPI_Allreduce of one MPI_INT.
inline bool everywhere(bool right) {
  const int mine = right ? 0 : 1;
  int wrong_ranks = 0;
  MPI_Allreduce(&mine, &wrong_ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return wrong_ranks == 0;
}

// Starts the clock on all ranks together.
inline double start_clock() {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

// Waits for all ranks; rank 0 then prints the seconds since start as the line "time_s SECONDS".
inline void stop_clock(double start) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  if (world_rank() == 0) std::printf("time_s %.6f\n", seconds);
}

}  // namespace programs
