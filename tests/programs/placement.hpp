// Tells where each rank of a program ran.
#pragma once

#include <string>
#include <vector>

#include "tests/programs/mpi_program.hpp"
#include "tests/programs/placement.h"

namespace programs {

// Gathers from every rank of MPI_COMM_WORLD where it may run at this moment, and writes it as rank
// 0, in rank order, one line "RANK NODE PUS" a rank (see placement.h).
//
// path: the file, "-" for standard output; read on rank 0 only.
// Collective over MPI_COMM_WORLD: one MPI_Gather of kPlacementLineBytes characters a rank.
// Returns false on rank 0, having said why on standard error, when the file could not be written
// or a rank could not read its affinity; true elsewhere.
inline bool write_placement(const std::string& path) {
  const int rank = world_rank();
  const int ranks = world_size();
  std::vector<char> line(kPlacementLineBytes);
  programs_placement_line(rank, line.data());
  std::vector<char> lines(rank == 0 ? line.size() * static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(line.data(), kPlacementLineBytes, MPI_CHAR, lines.data(), kPlacementLineBytes,
             MPI_CHAR, 0, MPI_COMM_WORLD);
  return rank != 0 || programs_write_placement(path.c_str(), lines.data(), ranks) == 0;
}

}  // namespace programs
