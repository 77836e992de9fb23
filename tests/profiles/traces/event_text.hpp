#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::traces {

/// A line for each thing that is defined, without remarks: what a trace's readers and writers
/// should agree on.
std::string text_of(const TraceDefinitions& definitions);
/// A line for each event.
std::string lines_of(const std::vector<Event>& events);
/// Reads a stream to its end, `batch` events at a time.
std::vector<Event> all_events(EventStream& stream, std::size_t batch = 1000);

bool operator==(const Event& a, const Event& b);

}  // namespace huddle::traces
