#pragma once

#include "aggregator/commands/common/command_line.hpp"

namespace huddle {

/// Add `huddle machine calibrate` and `huddle machine power` to `huddle machine`.
cli::App* add_machine_calibrate_command(cli::App& machine);
cli::App* add_machine_power_command(cli::App& machine);

}  // namespace huddle
