#pragma once

// Cores of a whole run in the place of those of each process.

#include <string_view>

#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// True for names that are given to the cores of a run as well as to those of each process:
/// "cores", "NCPUS".
bool may_be_total(std::string_view name);

/// Divides the threads by the processes if they are a multiple of these in all rows, as only the
/// cores of whole runs are where there are many processes; says so in `reading`, as a warning where
/// they might be those of each process after all. Precondition: the name of the column of threads
/// may be that of a total.
void divide_totals(MeasurementTable& table, MeasurementReading& reading);

}  // namespace huddle::forecast
