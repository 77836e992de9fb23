// Calls the collective families: each blocking, nonblocking and persistent call from one place.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "tests/programs/call_families/circle.hpp"

namespace programs {

#ifdef PROGRAMS_LARGE_COUNTS
using Count = MPI_Count;
using Place = MPI_Aint;
#define PROGRAMS_CALL(Name) MPI_##Name##_c
#else
using Count = int;
using Place = int;
#define PROGRAMS_CALL(Name) MPI_##Name
#endif

// A collective's functions, as call_collective() wants them: PROGRAMS_CALLS(Bcast, bcast).
#ifdef PROGRAMS_HAVE_MPI_4
#define PROGRAMS_CALLS(Name, name) \
  PROGRAMS_CALL(Name), PROGRAMS_CALL(I##name), PROGRAMS_CALL(Name##_init)
inline constexpr bool kPersistentCollectives = true;
#else
#define PROGRAMS_CALLS(Name, name) PROGRAMS_CALL(Name), PROGRAMS_CALL(I##name), nullptr
inline constexpr bool kPersistentCollectives = false;
#endif

enum class Way { kBlocking, kNonblocking, kPersistent };

// The ways that this MPI has.
inline std::vector<Way> all_ways() {
  if (kPersistentCollectives) return {Way::kBlocking, Way::kNonblocking, Way::kPersistent};
  return {Way::kBlocking, Way::kNonblocking};
}

// In which of its forms a collective is called.
struct Form {
  Way way = Way::kBlocking;
  bool in_place = false;
  int starts = 1;  // of a persistent one
};

// Makes the call in the form wanted, waits for it, and accounts for it. `name` is that of the
// blocking call; `bytes` is what this rank contributes. A start of a persistent collective counts
// as the nonblocking call.
template <class Blocking, class Nonblocking, class Persistent, class... Arguments>
void call_collective(const Circle& circle, Form form, const std::string& name, long long bytes,
                     Blocking blocking, Nonblocking nonblocking,
                     [[maybe_unused]] Persistent persistent, Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (form.way == Way::kBlocking) {
    blocking(arguments..., circle.comm);
    known_collective(name.c_str(), circle.members.c_str(), bytes);
    return;
  }
  if (form.way == Way::kNonblocking) {
    nonblocking(arguments..., circle.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    known_collective(("i" + name).c_str(), circle.members.c_str(), bytes);
    return;
  }
  if constexpr (!std::is_null_pointer_v<Persistent>) {
    persistent(arguments..., circle.comm, MPI_INFO_NULL, &request);
    for (int start = 0; start < form.starts; ++start) {
      if (start % 2 == 0)
        MPI_Start(&request);
      else
        MPI_Startall(1, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      known_collective(("i" + name).c_str(), circle.members.c_str(), bytes);
    }
    MPI_Request_free(&request);
  }
}

// The numbers that `from` hands to `to`: `count` of them, which differ from those of any other
// pair.
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
  std::vector<Count> counts;
  std::vector<Place> places;
  int total = 0;

  template <class CountOf>
  Parts(int ranks, CountOf count_of) {
    // MPI libraries refuse nullptr even where there are no ranks.
    counts.reserve(static_cast<std::size_t>(ranks) + 1);
    places.reserve(static_cast<std::size_t>(ranks) + 1);
    for (int rank = 0; rank < ranks; ++rank) {
      const int count = count_of(rank);
      counts.push_back(count);
      places.push_back(total);
      total += count;
    }
  }

  int operator[](int rank) const {
    return static_cast<int>(counts[static_cast<std::size_t>(rank)]);
  }
};

}  // namespace programs
