#pragma once

#include "profiles/formats/policy/policy.hpp"

namespace huddle {

/// Whether `explore` lets anybody's job be a trial, by the site's rules or those of a partition,
/// account or group.
bool allows_trials(const Policy& policy);

}  // namespace huddle
