#pragma once

namespace huddle::cli {
class App;
}

namespace huddle {

/// Adds `calibrate` to the subcommand `huddle machine`, as commands.hpp describes it.
cli::App* add_calibrate_command(cli::App& machine);

}  // namespace huddle
