#pragma once

#include <vector>

#include "profiles/recorder/mpi/communicators.hpp"

namespace huddle::recorder {

/// Whom this process sends to in neighbourhood collectives, by rank in the communicator, in the
/// order of the calls' counts (MPI-3.1, section 7.6); MPI_PROC_NULL beyond a grid's border. Empty
/// for a communicator without topology. Valid until the communicator is forgotten.
const std::vector<int>& neighbours_of(UsedCommunicator& communicator);

}  // namespace huddle::recorder
