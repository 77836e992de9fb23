#pragma once

#include <string>

#include "profiles/hardware/discovery/power_discovery.hpp"

namespace huddle {

/// For people: the processor, its clocks, the sensors as a tree, and what their sum covers.
std::string for_people(const PowerDiscovery& found);

/// The document of docs/formats/meters.md, ended by a newline.
std::string as_json(const PowerDiscovery& found);

}  // namespace huddle
