#pragma once

// Where the threads of an OpenMP team may run on fewer PUs than it has threads.

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace huddle::recorder {

/// Onto how many PUs a team of `team` threads may be packed, descending: the divisors of its size
/// up to `most`. On any other number one PU has more threads than another, and the team waits for
/// it.
std::vector<std::uint32_t> packable_counts(std::uint32_t team, std::uint32_t most);

/// The PU of each thread of a team, by its number in the team: as many on each of `pus`, neighbours
/// together. Empty unless the number of `pus` divides `team`.
std::vector<std::uint32_t> team_places(std::uint32_t team, const std::vector<std::uint32_t>& pus);

/// Packs a team in another way each time, as a test of what packing may break.
class RandomPlaces {
 public:
  /// `pus`: where the team may run.
  RandomPlaces(std::vector<std::uint32_t> pus, std::uint64_t seed)
      : pus_(std::move(pus)), random_(seed) {}

  /// Places for a team: a random divisor of its size, and that many of the PUs by chance; in one of
  /// four cases, and for a team that can't be packed, nothing: then it is to run anywhere.
  std::vector<std::uint32_t> next(std::uint32_t team);

 private:
  std::vector<std::uint32_t> pus_;
  std::mt19937_64 random_;
};

}  // namespace huddle::recorder
