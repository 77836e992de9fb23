#pragma once

// Turns profiles of runs into measured rows, a row for each phase group, that forecasts learn from.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "aggregator/forecast/sizes/sized_runs.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::forecast {

/// A name for each phase group: what it begins and ends with. Where names would be the same, they
/// include the callers of these.
std::map<std::uint64_t, std::string> region_names(const std::vector<PhaseGroup>& groups);

/// Measured rows made of profiles.
struct CollectedRows {
  MeasurementTable table;
  /// Notes on the columns, one sentence each, for people and for the file: where energies
  /// come from, what is missing.
  std::vector<std::string> notes;
};

/// One row for each phase group of each run, and one more for the rest of the run, so that the
/// times of a run's rows add up to its run time: a group's time is the mean over the ranks, the
/// rest's what is left of the slowest rank's run time (MPI, waiting, and computation outside of
/// phases). Columns: size, processes (ranks), threads (cores that each rank had), frequency where
/// runs had several, nodes, ranks a node (the most), packages used on each node where `machine`
/// tells the topology (ranks that were free to run anywhere count as spread), time, energy where
/// every run was metered (each row's share by its time), else computed from `machine`'s power
/// figures if there are any; then calls (passes of a phase, calls of MPI in the rest) and the
/// events that all ranks of all runs counted, each summed over the ranks. A group whose events were
/// not counted somewhere belongs to the rest.
///
/// `machine` may be null. Precondition: at least one run, all complete, of one program, with run
/// times. Throws FormatError if hwloc can't read the machine's topology.
CollectedRows rows_of_profiles(const std::vector<SizedRun>& runs, const Machine* machine);

}  // namespace huddle::forecast
