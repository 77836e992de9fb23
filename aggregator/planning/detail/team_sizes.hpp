#pragma once

// Whether ranks that got fewer cores than they ask for made teams of as many threads as before.

#include <cstdint>
#include <optional>
#include <string>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// What of a run's teams has another size than it was to have, as a phrase: of a region that both
/// runs have, the size that it had in `before`; of any other, `cores` or one thread; or that a rank
/// had teams, and none was seen. Empty if all are as before. `before`: a run whose ranks had all
/// their `cores` cores; absent: there is none any more.
std::string why_teams_changed(const Profile& run, const std::optional<Profile>& before,
                              std::uint32_t cores);

/// Whether the run shows anything of it: some rank had a team of several threads, in it or in
/// `before`.
bool show_teams(const Profile& run, const std::optional<Profile>& before);

}  // namespace huddle
