#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recorder {

/// The program that this process runs.
struct Program {
  /// Absolute path; empty if unknown.
  std::string executable;
  /// GNU build id in hexadecimal; empty if the program has none.
  std::string build_id;
  /// Without the program's own name.
  std::vector<std::string> arguments;
};

Program this_program();

/// Returns the word after `option` on the command line of the nearest ancestor of this process that
/// has it; empty if none has. Looks a few generations up.
std::string option_of_ancestor(std::string_view option);

/// The host name.
std::string node_name();

/// CPU time of all threads of this process so far.
Seconds process_cpu_time();

/// The most memory this program had resident so far; 0 if unknown. Not getrusage:
/// that counts what ran in the process before exec, too.
Bytes peak_resident();

/// Writes "huddle: <text>" as one line to standard error, in one write, or, in a job's step that is
/// to have no messages, keeps it for the step's record (take_unsaid). Failures are ignored.
void say(std::string_view text) noexcept;
/// Takes the lines that say() has kept since the last call.
std::vector<std::string> take_unsaid();

}  // namespace huddle::recorder
