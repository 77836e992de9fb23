#include "profiles/recorder/balance/keeper_desk.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "profiles/recorder/moves/own_threads.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

bool KeeperDesk::go(const PuSet& from, const PuSet& to, bool home) {
  // The clock there is asked for first, and the one here let go last: neither is low for a rank
  // that needs it.
  std::optional<OwnClocks> there;
  try {
    there.emplace(socket_, to, kPatience);
    if (!std::ranges::equal(ClockSteps(there->steps()).ascending(), steps().ascending()))
      there.reset();
  } catch (const Error&) {
  }
  if (!there && !home) return false;
  if (move_threads(from, to) != WhyNotMoved::kNone) return false;
  lost_ = !there;
  if (there) {
    if (asked_.value > 0) there->ask(asked_, lease_);
    clocks_ = std::move(*there);
  } else {
    clocks_.ask(steps().most(), {0});
  }
  return true;
}

}  // namespace huddle::recorder
