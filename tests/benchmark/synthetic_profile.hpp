#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// A profile as a stencil code on a three-dimensional torus of ranks leaves it, of any size, made
/// rank by rank. The same numbers make the same profile. Immutable; safe from any thread.
class SyntheticProfile {
 public:
  /// `neighbours`: how many ranks each sends to, nearest first (6 by faces, 18 with edges, 26 with
  /// corners); fewer on a torus too small for them. `phases`: of each rank, with counts of events.
  SyntheticProfile(std::uint32_t ranks, std::uint32_t neighbours, std::uint32_t phases);

  /// All but the records and the shared tables.
  [[nodiscard]] Profile head() const;
  [[nodiscard]] RankRecord record(std::uint32_t rank) const;
  [[nodiscard]] SharedTables shared() const;

 private:
  struct Offset {
    std::array<int, 3> steps{};
    int distance = 0;  // squared
  };

  [[nodiscard]] std::uint32_t neighbour(std::uint32_t rank, const Offset& offset) const;
  [[nodiscard]] std::vector<SentMessages> sent(std::uint32_t rank) const;
  [[nodiscard]] std::vector<PhaseRecord> phases(std::uint32_t rank) const;

  std::uint32_t ranks_;
  std::uint32_t phases_;
  std::array<std::uint32_t, 3> sides_{};
  std::vector<Offset> offsets_;
};

}  // namespace huddle
