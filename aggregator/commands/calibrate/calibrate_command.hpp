#pragma once

namespace CLI {
class App;
}

namespace huddle {

/// Adds `calibrate` to the subcommand `huddle machine`, as commands.hpp describes it.
CLI::App* add_calibrate_command(CLI::App& machine);

}  // namespace huddle
