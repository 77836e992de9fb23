#pragma once

#include <optional>

#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// Holds the clocks of the nodes against that of rank 0's node. The ranks of a node share a clock,
/// so one of them measures for all. One thread's; lives until MPI_Finalize.
class NodeClocks {
 public:
  /// Collective over all ranks. Throws Error.
  explicit NodeClocks(const Channel& all);

  /// A moment by this rank's clock and by rank 0's: of some messages there and back the one that
  /// took the shortest (Cristian, 1989), so that the uncertainty is half its time. Collective over
  /// all ranks; rank 0 asks one node after the other. Throws Error.
  [[nodiscard]] ClockPoint measure() const;

 private:
  Channel node_;
  std::optional<Channel> leaders_;
};

}  // namespace huddle::recorder
