// A communicator whose members' world ranks the program knows without asking MPI.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/programs/call_families/family_program.hpp"

namespace programs {

struct Circle {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;  // of this process in it
  std::vector<int> world_ranks;
  std::string members;  // as known_collective() wants them

  int size() const { return static_cast<int>(world_ranks.size()); }
  int right(int steps = 1) const { return (rank + steps) % size(); }
  int left(int steps = 1) const { return (rank + size() - steps % size()) % size(); }
  int world(int other) const { return world_ranks[static_cast<std::size_t>(other)]; }

  void meet() const {
    MPI_Barrier(comm);
    known_collective("barrier", members.c_str(), 0);
  }
};

// For a communicator with these members in this order.
inline Circle circle_of(MPI_Comm comm, const std::vector<int>& world_ranks, const Here& here) {
  Circle circle{comm, 0, world_ranks, ""};
  circle.rank = static_cast<int>(std::find(world_ranks.begin(), world_ranks.end(), here.rank) -
                                 world_ranks.begin());
  std::vector<int> ascending = world_ranks;
  std::sort(ascending.begin(), ascending.end());
  circle.members = listed(ascending);
  return circle;
}

inline Circle world_circle(const Here& here) {
  std::vector<int> all;
  for (int rank = 0; rank < here.ranks; ++rank) all.push_back(rank);
  Circle circle = circle_of(MPI_COMM_WORLD, all, here);
  circle.members = "world";
  return circle;
}

// The even or the odd world ranks in reversed order, by MPI_Comm_split. The caller frees it.
inline Circle reversed_half(const Here& here) {
  std::vector<int> members;
  for (int rank = here.ranks - 1; rank >= 0; --rank)
    if (rank % 2 == here.rank % 2) members.push_back(rank);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, here.rank % 2, -here.rank, &comm);
  return circle_of(comm, members, here);
}

}  // namespace programs
