#pragma once

// Where the threads of an OpenMP team may run on fewer PUs than it has threads.

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::runtime {

/// Onto how many PUs a team of `team` threads may be packed, descending: the divisors of its size
/// up to `most`. On any other number one PU has more threads than another, and the team waits for
/// it.
std::vector<std::uint32_t> packable_counts(std::uint32_t team, std::uint32_t most);

/// The PU of each thread of a team, by its number in the team: as many on each of `pus`, neighbours
/// together. Empty unless the number of `pus` divides `team`.
std::vector<std::uint32_t> team_places(std::uint32_t team, const std::vector<std::uint32_t>& pus);

/// Where the threads of one rank may run.
class TeamHome {
 public:
  TeamHome() = default;
  /// `home`: the PUs that it may run on; `cores`: those of the node. PUs of no known core come
  /// last, as a package of their own.
  TeamHome(const PuSet& home, const std::vector<hardware::PhysicalCore>& cores);

  [[nodiscard]] std::uint32_t size() const;
  /// `count` PUs that are close together, on `packages` packages as evenly as they can be: cores
  /// before their further PUs, dies one after the other, and first the packages that hold most of
  /// the rank's PUs. Fewer packages where there are none, and all PUs where there are no more.
  [[nodiscard]] std::vector<std::uint32_t> pus(std::uint32_t count, std::uint32_t packages) const;
  /// Over how many packages those are spread.
  [[nodiscard]] std::uint32_t packages(std::uint32_t count, std::uint32_t packages) const;

 private:
  // The PUs by package, in the order in which they are taken.
  std::vector<std::vector<std::uint32_t>> pus_;
  [[nodiscard]] std::vector<std::uint32_t> shares(std::uint32_t count,
                                                  std::uint32_t packages) const;
};

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

}  // namespace huddle::runtime
