#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huddle::submission {

/// One simple command of a shell script, as far as its text shows.
struct ScriptCommand {
  /// Without quotes and backslashes. A quoted text is split at its spaces, and an assignment at
  /// its "=": what a variable holds may be run as a command later.
  std::vector<std::string> words;
  /// True if its output goes to another command, to a file, or into the script's own text.
  bool output_is_used = false;
};

/// The commands of a script, in order; comments are left out. Shells, Python and others are read
/// alike: by their separators, quotes and "#".
std::vector<ScriptCommand> commands_of(std::string_view script);

}  // namespace huddle::submission
