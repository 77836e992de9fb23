#pragma once

#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Whether power_at() can tell what cores draw at other frequencies than the nominal one.
bool power_depends_on_frequency(const Machine& machine);

/// The power figures of a machine whose cores run at `frequency`, above 0. Each part's power is
/// P = a + c f^3 through the two known frequencies around it (dynamic power is C V^2 f, and voltage
/// is raised with frequency); beyond the outermost ones through the two nearest, never below 0. A
/// part that is known at the nominal frequency only draws the same at every one; so do nodes that
/// do nothing. Throws Error if the machine has no power figures, or no frequencies.
PowerFigures power_at(const Machine& machine, Hertz frequency);

}  // namespace huddle
