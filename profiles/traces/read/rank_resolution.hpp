#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/traces/read/global_definitions.hpp"
#include "profiles/traces/id_table.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::otf2 {

struct RankTables {
  std::vector<TraceRank> ranks;
  std::vector<TraceLocation> locations;     ///< in the order of their definitions
  std::vector<std::uint64_t> location_ids;  ///< by location
  IdTable locations_by_id;                  ///< those that are left out are not there
  std::vector<std::string> remarks;
};

/// Which process is which rank, and which locations are its threads. Throws FormatError.
RankTables resolve_ranks(const GlobalDefinitions& raw, std::string_view name);

}  // namespace huddle::otf2
