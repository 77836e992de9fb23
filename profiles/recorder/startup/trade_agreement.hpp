#pragma once

#include <memory>

#include "profiles/recorder/balance/keeper_desk.hpp"
#include "profiles/recorder/balance/place_trader.hpp"
#include "profiles/recorder/mpi/channel.hpp"
#include "profiles/recorder/process/run_request.hpp"

namespace huddle::recorder {

/// This rank's part in trading places with the ranks of its node; nothing if no clock of the run is
/// shared by several ranks, if a rank must stay where it is (BalanceRequest), or where ranks of
/// this node can't trade: they are bound to cores of several clocks, or can't share memory. Keeps a
/// reference to `desk`. `own` is what this rank is bound to. Collective over all ranks. Throws
/// Error where MPI fails.
std::unique_ptr<PlaceTrader> agree_on_trades(const Channel& channel, const BalanceRequest& request,
                                             const PuSet& own, KeeperDesk& desk);

}  // namespace huddle::recorder
