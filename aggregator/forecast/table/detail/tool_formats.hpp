#pragma once

// Columns whose meaning the tool fixes that wrote the file.

#include <string>
#include <vector>

#include "aggregator/forecast/table/detail/column_names.hpp"

namespace huddle::forecast {

/// Gives the columns of a file that a known tool wrote the units that its documentation says, and
/// those that look like something else the reason why they have no role. Sentences about it, for
/// people, if there is something to say.
std::vector<std::string> add_facts_of_tool(std::vector<HeaderName>& names);

}  // namespace huddle::forecast
