#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::traces {

/// The events of a location as OTF2's own reader gives them, a line each: only of kinds that are of
/// use to wait states. Names stand for numbers, and a peer is a rank in its communicator.
std::string lines_by_otf2(const std::filesystem::path& anchor, std::uint64_t location);

/// The same lines of what open_otf2() reads.
std::string lines_by_us(const TraceDefinitions& definitions, const std::vector<Event>& events);

}  // namespace huddle::traces
