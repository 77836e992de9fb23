#pragma once

#include <filesystem>
#include <string>

#include "profiles/formats/machine.hpp"

namespace huddle {

/// The machine document that a user means: a file, or the name of a machine that comes with Huddle
/// (in $HUDDLE_MACHINES, or else in share/huddle/machines beside the executable's bin/). Throws
/// UsageError that lists the names if it is neither, and what reading the file throws.
Machine machine_named(const std::string& file_or_name);

}  // namespace huddle
