#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiles/traces/event.hpp"

namespace huddle::traces {

/// How members of an OTF2_CollectiveOp wait for each other; kOther for numbers unknown to OTF2 3.0.
Collective collective_of(std::uint8_t otf2_operation);

/// What a one-sided operation does with the target's memory.
enum class OneSidedAccess : std::uint8_t { kPut, kGet, kAccumulate, kFetch, kCompareAndSwap };

/// The OTF2_RegionRole of a function by its name, such as "MPI_Iallreduce". Any name is allowed.
std::uint8_t role_of_mpi(std::string_view function);

/// An OTF2_CollectiveOp whose members wait as `waiting`: the function's own if its members do, else
/// the usual one of that kind.
std::uint8_t operation_of_mpi(std::string_view function, Collective waiting);

/// kPut for unknown ones.
OneSidedAccess access_of_mpi(std::string_view function);

}  // namespace huddle::traces
