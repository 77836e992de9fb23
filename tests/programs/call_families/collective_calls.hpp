// How the collective families are called: each blocking and nonblocking call from one place.
#pragma once

#include <string>
#include <vector>

#include "tests/programs/call_families/circle.hpp"

namespace programs {

// In which of its forms a collective is called.
struct Form {
  bool nonblocking = false;
  bool in_place = false;
};

// Makes the call in the form wanted, waits for it, and accounts for it. `name` is that of the
// blocking call; `bytes` is what this rank contributes.
template <class Blocking, class Nonblocking, class... Arguments>
void call_collective(const Circle& circle, Form form, const std::string& name, long long bytes,
                     Blocking blocking, Nonblocking nonblocking, Arguments... arguments) {
  if (form.nonblocking) {
    MPI_Request request = MPI_REQUEST_NULL;
    nonblocking(arguments..., circle.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    blocking(arguments..., circle.comm);
  }
  known_collective(((form.nonblocking ? "i" : "") + name).c_str(), circle.members.c_str(), bytes);
}

// What `from` hands to `to`: `count` numbers that differ from those of any other pair.
inline std::vector<int> handed(int from, int to, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(from * 10000 + to * 100 + i);
  return numbers;
}

inline void append(std::vector<int>& to, const std::vector<int>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Counts that differ from rank to rank, and where each part begins.
struct Parts {
  std::vector<int> counts, places;
  int total = 0;

  template <class CountOf>
  Parts(int ranks, CountOf count_of) {
    // MPI libraries refuse nullptr even where there are no ranks.
    counts.reserve(static_cast<std::size_t>(ranks) + 1);
    places.reserve(static_cast<std::size_t>(ranks) + 1);
    for (int rank = 0; rank < ranks; ++rank) {
      counts.push_back(count_of(rank));
      places.push_back(total);
      total += counts.back();
    }
  }

  int operator[](int rank) const { return counts[static_cast<std::size_t>(rank)]; }
};

}  // namespace programs
