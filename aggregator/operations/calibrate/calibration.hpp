#pragma once

// Measures communication and memory on nodes by running the calibration program on all their cores,
// and puts the results into machine documents.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profiles/formats/machine/calibration_results.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::operations {

/// A measurement that did not come to its end; what was measured is in the results file, and the
/// same call goes on from there.
class UnfinishedCalibration : public Error {
 public:
  using Error::Error;
};

struct CalibrationOptions {
  /// The words of what starts MPI programs, with blanks between.
  std::string launcher = "mpirun";
  /// Empty: allocated_hosts(), else this machine.
  std::vector<std::string> hosts;
  /// Empty: the installed program.
  std::string program;
  /// Some of "messages", "collectives" and "streams".
  std::vector<std::string> what = {"messages", "collectives", "streams"};
  /// About how long it may take; what matters most is measured first.
  Seconds budget{600};
};

/// Called as measurements go on.
struct CalibrationObserver {
  /// Once, before they begin.
  std::function<void(std::size_t ranks, std::size_t nodes)> begins;
  /// Called with the numbers of figures that are done, and of all.
  std::function<void(std::size_t done, std::size_t planned)> measured;
};

/// Measures nodes of `machine`'s topology, one rank on each core, into the file `results`; what
/// that file holds is not measured again. Throws UnfinishedCalibration, NotFound, UsageError, and
/// Error if there is only one core.
void run_calibration(const CalibrationOptions& options, const Machine& machine,
                     const std::filesystem::path& results, const CalibrationObserver& observer);

/// Packages, dies and cores of a machine's nodes: "2:2:2".
std::string layout_of(const Machine& machine);

/// The results of several files together. Throws UsageError if they are of different nodes, and
/// what reading them throws. One file or more.
CalibrationResults results_from(const std::vector<std::string>& files);

/// A machine of which nothing is known but the layout of the results.
Machine machine_of(const CalibrationResults& results);

/// Puts measured tables in the place of those of `machine`, and links fitted to the messages of
/// pairs alone (see fitted_link()) in the place of its links. What was not measured stays as it is.
/// Throws UsageError if the machine's nodes have another layout.
void put_in(Machine& machine, const CalibrationResults& results);

}  // namespace huddle::operations
