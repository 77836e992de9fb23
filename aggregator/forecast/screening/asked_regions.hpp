#pragma once

#include <string>
#include <vector>

namespace huddle {

/// By region: whether it is among those asked for, by their exact names. Throws UsageError if one
/// of these is none of the regions, with the names there are, the nearest ones first if there are
/// many.
std::vector<bool> asked_regions(const std::vector<std::string>& regions,
                                const std::vector<std::string>& asked);

}  // namespace huddle
