#pragma once

#include <string>
#include <vector>

namespace huddle::cli {

/// Runs a command as the user would without us: with our standard streams, and with Ctrl-C, which
/// reaches it from the terminal and is only noted here; SIGTERM is passed on. Returns its status,
/// or 128 + the signal that ended it. Throws SystemError if it can't be started. At most once in a
/// process, since the signals stay so.
int run_in_foreground(const std::vector<std::string>& command);

/// True if Ctrl-C was pressed meanwhile.
bool was_interrupted();

}  // namespace huddle::cli
