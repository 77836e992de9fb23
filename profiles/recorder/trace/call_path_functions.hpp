#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// The functions that a rank's call paths go through.
struct CallPathFunctions {
  /// One on the way to a call of MPI.
  struct Step {
    std::uint32_t function = 0;  ///< an index in `functions`
    /// Where the call returns to: two paths that have it alike up to here may be in the same call.
    CallFrame frame;
  };
  std::vector<std::string> functions;    ///< readable names, each once
  std::vector<std::vector<Step>> paths;  ///< by call path, outermost first
};

/// Looks up the names in the modules' files. What runs before main() is left out.
CallPathFunctions functions_of(const std::vector<std::vector<CallFrame>>& call_paths,
                               const std::vector<std::string>& modules);

}  // namespace huddle::recorder
