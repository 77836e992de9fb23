#pragma once

#include <filesystem>
#include <memory>

#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/vocabulary/recorder_environment.hpp"
#include "profiles/recorder/moves/rank_moves.hpp"

namespace huddle::recorder {

/// What a rank's environment says about moving the ranks of a node.
struct MoveRequest {
  /// HUDDLE_MOVE_RANKS: "1" asks for it, which counts in rank 0; "0" forbids it, in any rank. Who
  /// asks says that the job has its nodes alone and that nobody has bound the ranks on purpose.
  enum class Wish : std::uint8_t { kNone, kMove, kForbid };
  Wish wish = Wish::kNone;
  /// HUDDLE_SYSFS: where /sys is, for tests.
  std::filesystem::path sysfs = "/sys";

  static MoveRequest from(const Environment& environment);
};

/// Either this rank's part in moving, or why nobody moves.
struct MoveAgreement {
  std::unique_ptr<RankMoves> moves;
  WhyNotMoved why_not = WhyNotMoved::kNone;
};

/// Collective over all ranks, once rank 0 has asked for it: either all nodes' ranks are moved, or
/// nobody's. Throws Error where MPI fails.
MoveAgreement agree_on_moves(const Channel& channel, const MoveRequest& request);

}  // namespace huddle::recorder
