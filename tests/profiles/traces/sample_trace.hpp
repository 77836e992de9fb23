#pragma once

#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::traces {

/// A trace of four ranks on two nodes that has every kind of event, with what it should be read
/// back as.
struct SampleTrace {
  TraceDefinitions definitions;
  std::vector<std::vector<Event>> events;  ///< by location
};
SampleTrace sample_trace();

}  // namespace huddle::traces
