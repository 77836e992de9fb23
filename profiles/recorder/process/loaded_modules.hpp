#pragma once

#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::recorder {

/// The program and the libraries in this process that the descriptions of `groups` name. Throws
/// std::bad_alloc.
std::vector<ProgramModule> modules_named_in(const std::vector<PhaseGroup>& groups);

}  // namespace huddle::recorder
