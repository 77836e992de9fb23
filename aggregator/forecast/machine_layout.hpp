#pragma once

// What a machine document tells a forecast: how many cores, packages and nodes there are, and what
// nodes draw whatever runs on them.

#include <optional>
#include <string>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// The cores of a machine's nodes and the power of idle ones. A plain value.
struct MachineLayout {
  /// In W; measured or given, never assumed.
  struct IdlePower {
    double node = 0;     ///< of a node that is on
    double package = 0;  ///< of a package on which anything runs, more than idle
  };

  std::string name;
  double nodes = 0;     ///< 0: unknown
  double packages = 1;  ///< of a node
  double cores_per_package = 1;
  double threads_per_core = 1;
  std::optional<IdlePower> idle;

  /// Threads of processes on the node that has most of them.
  [[nodiscard]] static double threads_on_node(const Configuration& where);
  /// The fewest packages of that node that have a core for each thread; all of them where threads
  /// share cores.
  [[nodiscard]] double packages_for(const Configuration& where) const;
  /// Whether each thread has a core of its own. `counted`: on the packages that the configuration
  /// says; otherwise on any of a node.
  [[nodiscard]] bool has_cores_for(const Configuration& where, bool counted) const;
  /// Why no run can be like this, for people ("64 processes x 2 threads on 1 node: a node of M has
  /// 64 hardware threads"); empty if one can. `counted` as above.
  [[nodiscard]] std::string why_impossible(const Configuration& where, bool counted) const;
};

/// Throws FormatError if the topology can't be read.
MachineLayout machine_layout(const Machine& machine);

/// Where the rows do not say how many packages of each node were used, and the fewest that hold
/// their threads differ between rows, adds a column of these. Returns whether it did. Throws Error,
/// with what to do, if a row can't have run on the machine.
bool add_packages(MeasurementTable& rows, const MachineLayout& machine);

}  // namespace huddle
