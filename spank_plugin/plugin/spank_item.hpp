#pragma once

#include "spank_plugin/plugin/spank_api.hpp"

#include <fmt/format.h>

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

}  // namespace huddle
