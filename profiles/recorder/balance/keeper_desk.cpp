#include "profiles/recorder/balance/keeper_desk.hpp"

#include <algorithm>

#include "profiles/recorder/moves/own_threads.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

bool KeeperDesk::go(const PuSet& from, const PuSet& to) {
  try {
    // The clock there is asked for first, and the one here let go last: neither is low for a rank
    // that needs it.
    OwnClocks there(socket_, to, kPatience);
    if (!std::ranges::equal(ClockSteps(there.steps()).ascending(), steps().ascending()))
      return false;
    if (move_threads(from, to) != WhyNotMoved::kNone) return false;
    if (asked_.value > 0) there.ask(asked_, lease_);
    clocks_ = std::move(there);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace huddle::recorder
