#pragma once

#include <memory>

#include "profiles/recorder/moves/rank_moves.hpp"
#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/process/run_request.hpp"

namespace huddle::recorder {

/// Either this rank's part in moving, or why nobody moves.
struct MoveAgreement {
  std::unique_ptr<RankMoves> moves;
  WhyNotMoved why_not = WhyNotMoved::kNone;
};

/// Collective over all ranks, once rank 0 has asked for it: either all nodes' ranks are moved, or
/// nobody's. Throws Error where MPI fails.
MoveAgreement agree_on_moves(const Channel& channel, const MoveRequest& request);

}  // namespace huddle::recorder
