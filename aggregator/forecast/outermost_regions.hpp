#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// How it is known that a region contains others.
enum class ContainedBy : std::uint8_t {
  names,            ///< call paths: "main/solve" is inside of "main"
  whole_program,    ///< it has a name that only the whole program has, and is the longest
  exclusive_times,  ///< it takes as long as the exclusive times of all regions together
  sums,             ///< it takes as long as all others together, whatever their shares
};

/// "names", "whole_program", "exclusive_times", "sums", as JSON names it.
std::string_view name_of(ContainedBy known_by);

/// A region inside of no other one that contains others.
struct ContainingRegion {
  std::string region;
  /// All of them, however deep, in the order of the table's regions.
  std::vector<std::string> inside;
  ContainedBy known_by = ContainedBy::names;

  friend bool operator==(const ContainingRegion&, const ContainingRegion&) = default;
};

/// Which regions' rows hold what rows of others hold already, as an inclusive time of a caller
/// holds that of its callees.
struct OutermostRegions {
  /// By region: whether its times, and its energies, are part of those of another one, so that they
  /// must not be added to them. The two differ only where values say so: times without what is
  /// inside (exclusive ones) beside energies with it, or the other way round.
  std::vector<bool> time_inside;
  std::vector<bool> energy_inside;
  /// The largest ones first.
  std::vector<ContainingRegion> containing;
  /// Sentences for people: which regions are passed over and why, and what can't be told.
  std::vector<std::string> remarks;

  friend bool operator==(const OutermostRegions&, const OutermostRegions&) = default;
};

/// Recognises nested regions by their names, or where these tell nothing by their values; see
/// docs/forecast.md. What can't be told is not nested: regions of one level are the usual case. All
/// regions are needed, small ones, too: many of them together matter.
OutermostRegions outermost_regions(const MeasurementTable& table);

}  // namespace huddle
