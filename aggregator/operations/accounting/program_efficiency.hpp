#pragma once

// Efficiencies of the programs of a report, by the profiles that measured runs left.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/operations/accounting/job_report.hpp"
#include "profiles/store/store.hpp"

namespace huddle::operations {

/// Sets ReportedRun::used of the wanted runs whose profiles can be read. Root reads those of a part
/// that is another user's in a process of that user's rights, a minute at most for each user; a
/// profile that is gone or broken is passed over. Returns a note for each user whose profiles could
/// not be read so. `progress(done, all)` counts users. To be called while there is one thread.
std::vector<std::string> add_used_time(
    std::vector<ReportedRun>& runs, const store::Store& store,
    const std::function<void(std::size_t, std::size_t)>& progress);

/// Runs of one program, by the name of its file, whose use of time and whose end are known. The
/// efficiencies are means over node-hours.
struct ProgramEfficiency {
  std::string program;
  std::size_t users = 0;
  std::uint32_t runs = 0;
  std::uint32_t least_ranks = 0;
  std::uint32_t most_ranks = 0;
  double node_hours = 0;
  /// The part of these in which threads did not compute: they waited, or were in MPI.
  double lost_node_hours = 0;
  double load_balance = 0;
  double communication = 0;
  /// OpenMP's parallel efficiency, of the runs of which it is known; absent: of none.
  std::optional<double> openmp;

  [[nodiscard]] double parallel() const { return 1 - lost_node_hours / node_hours; }
};

/// The programs of the wanted runs; those that lose most node-hours first, then by name.
std::vector<ProgramEfficiency> program_efficiencies(const std::vector<ReportedRun>& runs);

}  // namespace huddle::operations
