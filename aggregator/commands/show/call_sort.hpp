#pragma once

#include <cstdint>
#include <string_view>

namespace huddle {

/// What sort of work an MPI function does.
enum class CallSort : std::uint8_t {
  kMessages,
  kCompletion,
  kCollectives,
  kOneSided,
  kFiles,
  kOthers
};
inline constexpr std::size_t kCallSorts = 6;

/// Of a function's name as in CallKind::operation: without MPI_ and in lower case.
CallSort sort_of_call(std::string_view operation);

/// For people.
std::string_view name_of(CallSort sort);

}  // namespace huddle
