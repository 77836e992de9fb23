#pragma once

#include <cstdint>

namespace huddle {

/// Which process of an analysis replays which rank: neighbours together, because they talk most.
struct RankShares {
  std::uint32_t ranks = 0;
  std::uint32_t processes = 1;

  [[nodiscard]] std::uint32_t process_of(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::uint64_t{rank} * processes / ranks);
  }
};

}  // namespace huddle
