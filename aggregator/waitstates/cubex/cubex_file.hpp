#pragma once

#include <filesystem>

#include "aggregator/waitstates/criticalpath/run_study.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// Writes a report and a study as a file of the Cube 4 format, which Cube, Extra-P and others open:
/// metrics by call path and thread (docs/formats/cubex.md). Equal reports give equal files. Written
/// atomically. Memory grows with the call paths times the locations that one metric has values of.
/// Throws SystemError; Error if the report's entries name what it does not have, or if a metric has
/// more values than the format's archive can hold (8 GiB).
void save_cubex(const WaitReport& report, const RunStudy& study, const std::filesystem::path& path);

}  // namespace huddle
