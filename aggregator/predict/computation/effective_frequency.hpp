#pragma once

#include <optional>

#include "profiles/formats/machine/machine_frequencies.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The mean frequency of the cores while a run computed: its cycles over its CPU time (the event
/// "task-clock" where it was counted, else the ranks' CPU time), over all ranks that know both.
/// Where only the cycles of user space could be counted it is somewhat too low, by the share of
/// time in the kernel. Nothing if no rank knows both.
std::optional<Hertz> effective_frequency(const Profile& profile);

/// The settable frequency that a run had: the one nearest to its effective frequency; the nominal
/// one if it knows none, or one less than 10 % from that.
Hertz settable_frequency_of(const Profile& profile, const Frequencies& frequencies);

}  // namespace huddle
