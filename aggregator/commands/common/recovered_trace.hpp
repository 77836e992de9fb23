#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "profiles/recorder/trace/trace_recovery.hpp"

namespace huddle::cli {

/// Prints a line to standard error if the trace was recovered.
inline void report_recovery(const recorder::FoundTrace& found) {
  if (found.recovered_from.empty()) return;
  fmt::print(stderr, "huddle: the run was cut short: {} was made of what it left in {}\n",
             found.trace.native(), found.recovered_from.native());
}

/// recorder::find_trace(), with that line.
inline std::string trace_to_open(const std::string& named) {
  const recorder::FoundTrace found = recorder::find_trace(named);
  report_recovery(found);
  return found.trace.string();
}

}  // namespace huddle::cli
