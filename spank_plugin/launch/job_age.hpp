#pragma once

#include <optional>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// How long ago the batch script began that this process was started by; nothing if it was started
/// by none, or that can't be found out. Reads /proc.
std::optional<Seconds> age_of_batch_script();

}  // namespace huddle
