#pragma once

#include "spank_plugin/plugin/spank_api.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <set>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

/// What Slurm knows of the job, step or task that a hook is called for; `what` names it in the
/// message. Throws Error if Slurm does not tell it here.
template <class Value>
Value spank_item_of(spank_t spank, spank_item which, const char* what) {
  Value value{};
  const spank_err_t outcome = spank_get_item(spank, which, &value);
  if (outcome != ESPANK_SUCCESS)
    throw Error(fmt::format("Slurm does not tell the {}: {}", what, spank_strerror(outcome)));
  return value;
}

/// The ranks of the step that run on this node. Throws Error if Slurm does not tell how many.
inline std::set<std::uint32_t> ranks_here(spank_t spank) {
  std::set<std::uint32_t> ranks;
  const auto count =
      spank_item_of<std::uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT, "number of local tasks");
  for (std::uint32_t local = 0; local < count; ++local) {
    std::uint32_t rank = 0;
    if (spank_get_item(spank, S_JOB_LOCAL_TO_GLOBAL_ID, local, &rank) == ESPANK_SUCCESS)
      ranks.insert(rank);
  }
  return ranks;
}

}  // namespace huddle
