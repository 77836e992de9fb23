#pragma once

#include <compare>
#include <cstdint>

namespace huddle {

/// A number that names a thing, and can't be mistaken for the number of another kind of thing.
template <class Tag>
struct Id {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// A process in MPI_COMM_WORLD, by number, 0-based.
using Rank = Id<struct RankTag>;

/// A node of a plan, 0-based; which host it becomes is known only when the job has its nodes.
using NodeIndex = Id<struct NodeIndexTag>;

}  // namespace huddle
