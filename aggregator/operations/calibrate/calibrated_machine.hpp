#pragma once

#include "profiles/formats/machine/calibration_results.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// Puts measured tables in the place of those of `machine`, and links fitted to the messages of
/// pairs alone (see fitted_link()) in the place of its links. What was not measured stays as it is.
void put_in(Machine& machine, const CalibrationResults& results);

}  // namespace huddle
