#pragma once

#include "aggregator/hybrid/team_program.hpp"

namespace huddle {

/// Adds to a program of one rank what else may be on its packages: wherever a part of a package or
/// die is not the rank's, something is busy there all the time, so that the rank can't empty it.
void keep_shared_parts_busy(TeamProgram& program);

}  // namespace huddle
