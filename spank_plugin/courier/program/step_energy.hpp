#pragma once

#include "spank_plugin/courier/courier_order.hpp"

namespace huddle {

/// Asks the node's huddle-energyd what the order's step took, once it has ended, and writes that
/// into the store of the step's record, with the rights of this process. Waits 5 s at most for the
/// daemon to know of the end. Throws Error with the reason if the energy is not known, or can't be
/// written.
void leave_step_energy(const CourierOrder& order);

}  // namespace huddle
