#pragma once

// Internal to the reader and writer of profiles: the fields of OpenMP's regions.

#include <cstddef>
#include <vector>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/detail/document_writer.hpp"
#include "profiles/formats/profile/openmp_regions.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// The member "openmp_regions" of a rank's record, whose value `table` is. With `shared`, groups
/// and regions have to be in there. `events`: how many the rank's record has. Throws FormatError.
std::vector<OpenMpRegionRecord> read_region_records(const Field& table, std::size_t events,
                                                    const SharedTables* shared);
/// True if `shared` has all that the records name.
bool knows_regions(const SharedTables& shared, const std::vector<OpenMpRegionRecord>& records);
/// The same for the members "packed_regions" and "smaller_teams", in whose column `cores` is how
/// many cores a team was on.
std::vector<PackedRegionRecord> read_packed_records(const Field& table, const SharedTables* shared,
                                                    const char* cores);
bool knows_regions(const SharedTables& shared, const std::vector<PackedRegionRecord>& records);
/// The same for the member "region_periods", whose value is an array.
std::vector<RegionPeriodRecord> read_region_periods(const Field& field, const SharedTables* shared);
bool knows_regions(const SharedTables& shared, const std::vector<RegionPeriodRecord>& periods);
/// The same for the member "region_positions", whose value is an object.
RegionPositions read_region_positions(const Field& field, const SharedTables* shared);
bool knows_regions(const SharedTables& shared, const RegionPositions& positions);
/// One entry of the shared table "openmp_regions". Throws FormatError.
OpenMpRegion read_region(const Field& entry);

/// Writes the member, if there are records.
void write_region_records(DocumentWriter& out, const std::vector<OpenMpRegionRecord>& records,
                          std::size_t events);
/// `name`: of the member.
void write_packed_records(DocumentWriter& out, const char* name, const char* cores,
                          const std::vector<PackedRegionRecord>& records);
void write_region_periods(DocumentWriter& out, const std::vector<RegionPeriodRecord>& periods);
void write_region_positions(DocumentWriter& out, const RegionPositions& positions);
/// Writes the shared table.
void write_regions(DocumentWriter& out, const std::vector<OpenMpRegion>& regions);

}  // namespace huddle
