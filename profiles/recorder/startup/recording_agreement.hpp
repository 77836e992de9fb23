#pragma once

#include <optional>
#include <string>

#include "profiles/recorder/process/destination.hpp"
#include "profiles/recorder/process/launch.hpp"
#include "profiles/recorder/startup/root_marker.hpp"
#include "profiles/recorder/startup/recorder_handshake.hpp"

namespace huddle::recorder {

/// Decides whether a run is recorded: only if all its ranks have the recorder. If some have not,
/// because a node lacks the library or a program is linked statically, no rank records, and the
/// program runs as it would without. One thread's; it must live as long as MPI does.
class RecordingAgreement {
 public:
  /// Before MPI_Init: rank 0 shows that it takes part. What goes wrong is told by complete().
  RecordingAgreement(const Destination& destination, Launch launch);

  /// After MPI_Init: whether all ranks take part. Not in a spawned world, whose profile would take
  /// the place of its parent's. Throws Error, on rank 0 also if other ranks are missing.
  bool complete();

  /// Whether this rank speaks for the run: rank 0, as far as that is known yet.
  [[nodiscard]] bool speaks() const;

  /// Removes what others could see of it, if that is still there.
  void withdraw() noexcept { marker_.withdraw(); }

  /// Before MPI_Finalize.
  void end() noexcept;

 private:
  Launch launch_;
  RootMarker marker_;
  std::string trouble_;  // why rank 0 can't show itself
  std::optional<RecorderHandshake> handshake_;
};

}  // namespace huddle::recorder
