#pragma once

#include <cstdint>

#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {

/// The counts that a program passes for many ranks, whatever their type. Does not own them.
class Counts {
 public:
  Counts(const int* counts) : counts_(counts) {}              // NOLINT: stands for the argument
  Counts(const MPI_Count* counts) : large_counts_(counts) {}  // NOLINT: likewise

  MPI_Count operator[](std::size_t i) const {
    return large_counts_ != nullptr ? large_counts_[i] : counts_[i];
  }

 private:
  const int* counts_ = nullptr;
  const MPI_Count* large_counts_ = nullptr;
};

}  // namespace huddle::recorder
