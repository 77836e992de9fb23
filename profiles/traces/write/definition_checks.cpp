#include <fmt/format.h>

#include <set>

#include "profiles/traces/otf2_references.hpp"
#include "profiles/traces/write/trace_part.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

template <class Members>
void check_members(const Members& members, std::size_t defined, std::string_view what,
                   std::size_t index) {
  std::set<std::uint32_t> seen;
  for (const std::uint32_t member : members)
    if (member >= defined || !seen.insert(member).second)
      throw Error(fmt::format("can't write a trace: {} {} names {} {}", what, index, member,
                              member >= defined ? "which is not defined" : "twice"));
}

void check_locations(const TraceDefinitions& definitions) {
  std::set<std::uint64_t> references;
  for (std::size_t i = 0; i < definitions.locations.size(); ++i) {
    const TraceLocation& location = definitions.locations[i];
    if (location.rank >= definitions.ranks.size())
      throw Error(fmt::format("can't write a trace: location {} is of rank {}, and there are {}", i,
                              location.rank, definitions.ranks.size()));
    if (!references.insert(location_reference(location)).second)
      throw Error(fmt::format("can't write a trace: two locations are thread {} of rank {}",
                              location.thread, location.rank));
  }
}

void check_ranks(const TraceDefinitions& definitions) {
  if (definitions.ranks.empty()) throw Error("can't write a trace: it has no ranks");
  for (std::size_t i = 0; i < definitions.ranks.size(); ++i) {
    const TraceRank& rank = definitions.ranks[i];
    if (rank.locations.empty())
      throw Error(fmt::format("can't write a trace: rank {} has no location", i));
    check_members(rank.locations, definitions.locations.size(), "rank", i);
    for (const std::uint32_t location : rank.locations)
      if (definitions.locations[location].rank != i)
        throw Error(fmt::format("can't write a trace: rank {} names location {} of rank {}", i,
                                location, definitions.locations[location].rank));
  }
}

}  // namespace

void check_trace_definitions(const TraceDefinitions& definitions) {
  if (definitions.ticks_per_second == 0)
    throw Error("can't write a trace: its clock has 0 ticks in a second");
  check_locations(definitions);
  check_ranks(definitions);
  const std::size_t ranks = definitions.ranks.size();
  for (std::size_t i = 0; i < definitions.communicators.size(); ++i) {
    const TraceCommunicator& each = definitions.communicators[i];
    check_members(each.ranks, ranks, "communicator", i);
    check_members(each.remote, ranks, "communicator", i);
    if (each.ranks.empty() && !each.remote.empty())
      throw Error(fmt::format("can't write a trace: communicator {} has one side only", i));
  }
  for (std::size_t i = 0; i < definitions.groups.size(); ++i)
    check_members(definitions.groups[i], ranks, "group", i);
  for (std::size_t i = 0; i < definitions.teams.size(); ++i)
    check_members(definitions.teams[i], definitions.locations.size(), "team", i);
  for (std::size_t i = 0; i < definitions.windows.size(); ++i)
    if (definitions.windows[i].communicator >= definitions.communicators.size())
      throw Error(
          fmt::format("can't write a trace: window {} names communicator {}, and there are "
                      "{}",
                      i, definitions.windows[i].communicator, definitions.communicators.size()));
}

}  // namespace huddle
