#pragma once

// The definitions of an OTF2 archive with their references resolved, and the tables from its
// numbers to indices.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/traces/read/detail/definitions.hpp"
#include "profiles/traces/read/detail/id_table.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::otf2 {

/// A sensor of a node, by the numbers that its events have.
struct PowerMetric {
  std::uint32_t instance = 0;
  std::uint64_t location = 0;  ///< an id
  std::uint32_t rank = 0;
  std::string node;
  std::string sensor;
};

struct RankTables {
  std::vector<traces::TraceRank> ranks;
  std::vector<traces::TraceLocation> locations;  ///< in the order of their definitions
  std::vector<std::uint64_t> location_ids;       ///< by location
  IdTable locations_by_id;                       ///< those that are left out are not there
  std::vector<std::string> remarks;
};

/// Determines which process is which rank, and which locations are its threads. Throws FormatError.
RankTables resolve_ranks(const GlobalDefinitions& raw, std::string_view name);

/// Which of MPI's calls a synchronisation of a window belongs to: OTF2 records only that there was
/// one.
enum class WindowCall : std::uint8_t { kNone, kPost, kStart, kComplete, kWait };

/// A trace's definitions with all references resolved, and the tables that map the ids in its
/// events to them.
struct ResolvedTrace {
  traces::TraceDefinitions definitions;
  std::uint64_t begin = 0;                  ///< ticks of the trace's clock
  std::vector<std::uint64_t> location_ids;  ///< by location

  IdTable regions;
  IdTable communicators;
  IdTable windows;
  IdTable groups;
  IdTable teams;  ///< by the number of their communicator
  IdTable files;  ///< open files: their communicators; none of those of one process

  struct CallingContext {
    std::uint32_t region = traces::kNobody;
    std::uint32_t parent = traces::kNobody;
  };
  std::vector<CallingContext> contexts;
  IdTable context_ids;

  std::vector<WindowCall> window_calls;  ///< by region

  std::vector<PowerMetric> power;
};

/// The metrics of power that Huddle's recorder left.
std::vector<PowerMetric> resolve_power(const GlobalDefinitions& raw);

/// `name` is for errors. Throws FormatError for definitions without locations or ranks, or of which
/// no ranks can be made; other dangling references are dropped, with a remark.
ResolvedTrace resolve(const GlobalDefinitions& raw, std::string_view name);

}  // namespace huddle::otf2
