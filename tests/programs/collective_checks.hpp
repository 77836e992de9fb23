// Calls each world collective and checks what it gives.
#pragma once

#include <string>
#include <vector>

namespace programs {

// A collective operation, named as in MPI without "MPI_" and in lower case.
struct CollectiveCheck {
  std::string name;
  // Calls it on MPI_COMM_WORLD, once with each way that it has here of passing its arguments.
  // Returns false, having said what was wrong on standard error, if the result on this rank is
  // wrong. (A barrier has no result: it only has to return.)
  bool (*right)();
};

// In the order in which they are run.
const std::vector<CollectiveCheck>& collective_checks();

}  // namespace programs
