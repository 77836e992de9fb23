#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// The call paths of all threads of a rank, numbered from 0. Safe from any thread.
class CallPathTable {
 public:
  /// `executable`: the program's own file, which the loader has no name for.
  explicit CallPathTable(std::string executable) : executable_(std::move(executable)) {}

  /// The path of these return addresses, innermost first, of code that is loaded. Throws
  /// std::bad_alloc.
  std::uint32_t number_of(const std::vector<std::uintptr_t>& addresses);

  /// Where the call is that returns to `address`, in code that is loaded. Throws std::bad_alloc.
  CallFrame place_of(std::uintptr_t address);

  /// Fills in call_paths and modules.
  void describe(RecordedTrace& trace) const;

 private:
  CallFrame frame_of(std::uintptr_t address);
  std::uint32_t module_of(const std::string& name);

  std::string executable_;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::vector<std::uintptr_t>, std::uint32_t> numbers_;
  std::map<std::string, std::uint32_t> modules_by_name_;
  std::vector<std::vector<CallFrame>> paths_;
  std::vector<std::string> modules_;
};

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

/// Names of regions for people, by index: "!$omp parallel @step (solver+0x12a0)", with the function
/// that the region is in; "!$omp parallel @solver+0x12a0" where that is not known.
std::vector<std::string> names_of_regions(const std::vector<RecordedRegion>& regions,
                                          const std::vector<std::string>& modules);

/// Looks up the names in the modules' files. What runs before main() is left out.
CallPathFunctions functions_of(const std::vector<std::vector<CallFrame>>& call_paths,
                               const std::vector<std::string>& modules);

}  // namespace huddle::recorder
