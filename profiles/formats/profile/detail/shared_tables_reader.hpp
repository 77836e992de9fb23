#pragma once

// Internal to the reader of profiles.

#include <cstdint>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// The shared tables among the members of `root`, each put in order; those that are missing are
/// empty. `ranks`: of the run. Throws FormatError.
SharedTables read_shared_tables(const Field& root, std::uint32_t ranks);

}  // namespace huddle
