#pragma once

// Which regions of a program lie inside of others, so that a sum over regions counts them once.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// How it is known that a region contains others.
enum class ContainedBy : std::uint8_t {
  names,          ///< call paths: "main/solve" is inside of "main"
  whole_program,  ///< it has a name that only the whole program has
};

/// "names", "whole_program", as JSON names it.
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
  /// must not be added to them. The two differ where one column is exclusive and the other is not.
  std::vector<bool> time_inside;
  std::vector<bool> energy_inside;
  /// The largest ones first.
  std::vector<ContainingRegion> containing;
  /// Sentences for people: which regions are passed over and why, and what names do not say.
  std::vector<std::string> remarks;

  friend bool operator==(const OutermostRegions&, const OutermostRegions&) = default;
};

/// Recognises nested regions by their names; see docs/forecast.md. Regions whose names say nothing
/// are not nested: one level is the usual case. All regions are needed, small ones, too: many of
/// them together matter. Throws UsageError, with the options that settle it, if names say that
/// regions lie inside of others which are clearly smaller in most configurations.
OutermostRegions outermost_regions(const MeasurementTable& table);

}  // namespace huddle
