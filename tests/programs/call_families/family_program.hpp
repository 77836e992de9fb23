// The frame of the programs of this folder, each of which makes the calls of one family in known
// numbers and sizes and checks what they give.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tests/programs/call_families/known_traffic.h"
#include "tests/programs/mpi_program.hpp"
// clang-format off: after mpi.h
#include "tests/programs/call_families/large_counts.hpp"
// clang-format on

namespace programs {

// One world rank and how many there are, with the ring that most families send around.
struct Here {
  int rank = 0;
  int ranks = 0;

  int right(int steps = 1) const { return (rank + steps) % ranks; }
  int left(int steps = 1) const { return (rank + ranks - steps % ranks) % ranks; }
};

inline std::atomic<bool> all_right{true};

// Says on standard error what does not hold; the program then ends with kWrong. From any thread
// that may call MPI.
inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  report("wrong", what);
  all_right = false;
}

// Waits for all, and accounts for it.
inline void meet() {
  MPI_Barrier(MPI_COMM_WORLD);
  known_collective("barrier", "world", 0);
}

// "0,2,4": ranks as known_collective() wants them. They must ascend.
inline std::string listed(const std::vector<int>& ranks) {
  std::string list;
  for (const int rank : ranks) list += (list.empty() ? "" : ",") + std::to_string(rank);
  return list;
}

inline std::string all_ranks(const Here& here) {
  return here.ranks == 1 ? "0" : "0-" + std::to_string(here.ranks - 1);
}

// The body of main: PROGRAM [TRUTH], where TRUTH is a file that does not exist yet. Runs `family`
// between MPI_Init_thread and MPI_Finalize, and makes no other MPI call with traffic. Fewer ranks
// than `least` are refused.
template <class Family>
int run_family(int argc, char** argv, int least, Family family, int level = MPI_THREAD_SINGLE) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &provided);
  const Here here{world_rank(), world_size()};
  if (here.ranks < least || argc > 2 || provided < level) {
    report(argv[0], "wants at least " + std::to_string(least) +
                        " ranks, at most one argument, and threads of level " +
                        std::to_string(level));
    MPI_Abort(MPI_COMM_WORLD, kBadArguments);
  }
  known_traffic_of(here.rank);
  family(here);
  if (argc == 2 && known_traffic_write(argv[1]) != 0) all_right = false;
  MPI_Finalize();
  return all_right ? kRight : kWrong;
}

}  // namespace programs
