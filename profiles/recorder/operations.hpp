#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiles/recorder/mpi/mpi_library.hpp"

namespace huddle::recorder {

/// The wrapped MPI functions, by number.
enum class Operation : std::uint32_t {
#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace) k##Name,
#include "profiles/recorder/calls.def"

#include "profiles/recorder/calls_of_mpi_4.def"

#include "profiles/recorder/call_kinds_end.def"
  kCount
};
inline constexpr auto kOperations = static_cast<std::size_t>(Operation::kCount);

/// Their names without MPI_: "Allreduce", "Allreduce_c", "Allreduce_init".
inline constexpr std::array<std::string_view, kOperations> kOperationNames{
#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace) #Name,
#include "profiles/recorder/calls.def"

#include "profiles/recorder/calls_of_mpi_4.def"

#include "profiles/recorder/call_kinds_end.def"
};

/// That of the name `before` + `after`; kCount if there is none.
constexpr Operation operation_named(std::string_view before, std::string_view after = {}) {
  for (std::size_t i = 0; i < kOperations; ++i) {
    const std::string_view name = kOperationNames[i];
    if (name.size() == before.size() + after.size() && name.starts_with(before) &&
        name.ends_with(after))
      return static_cast<Operation>(i);
  }
  return Operation::kCount;
}

/// As which function a call is counted: one with large counts as the one without.
consteval Operation counted_as(Operation operation) {
  std::string_view name = kOperationNames[static_cast<std::size_t>(operation)];
  if (!name.ends_with("_c")) return operation;
  name.remove_suffix(2);
  return operation_named(name);
}

/// As which function each start of a persistent collective is counted: as the nonblocking one.
/// `prepared`: Operation::kAllreduce_init and so on.
constexpr Operation started_as(Operation prepared) {
  std::string_view name = kOperationNames[static_cast<std::size_t>(prepared)];
  name.remove_suffix(std::string_view("_init").size());
  for (std::size_t i = 0; i < kOperations; ++i) {
    const std::string_view other = kOperationNames[i];
    if (other.size() == name.size() + 1 && other[0] == 'I' && other.ends_with(name.substr(1)) &&
        other[1] - 'a' == name[0] - 'A')
      return static_cast<Operation>(i);
  }
  return Operation::kCount;
}
static_assert(started_as(Operation::kAlltoallv_init) == Operation::kIalltoallv);
static_assert(counted_as(Operation::kAlltoallv_init_c) == Operation::kAlltoallv_init);

/// The calls that begin and end a run, which are not in calls.def.
enum class LifecycleCall : std::uint32_t { kInit, kInitThread, kFinalize, kCount };

/// Its number in a trace, after those of Operation.
constexpr std::uint32_t operation_of(LifecycleCall call) {
  return static_cast<std::uint32_t>(kOperations) + static_cast<std::uint32_t>(call);
}

}  // namespace huddle::recorder
