#pragma once

// Internal to the writer of traces.

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiles/traces/event.hpp"

namespace huddle {

/// What a one-sided operation does with the target's memory.
enum class OneSidedAccess : std::uint8_t { kPut, kGet, kAccumulate, kFetch, kCompareAndSwap };

/// What a function is by its name, such as "MPI_Iallreduce". Anything is a good name.
/// An OTF2_RegionRole.
std::uint8_t role_of_mpi(std::string_view function);

/// An OTF2_CollectiveOp whose members wait as `waiting` says: the function's own where that is
/// true of it, else one that stands for all of the kind.
std::uint8_t operation_of_mpi(std::string_view function, Collective waiting);

/// kPut for those that it does not know.
OneSidedAccess access_of_mpi(std::string_view function);

}  // namespace huddle
