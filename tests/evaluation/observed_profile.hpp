#pragma once

#include "profiles/formats/profile/profile.hpp"
#include "tests/evaluation/simulation.hpp"

namespace huddle::evaluation {

/// The measurements that users of the virtual cluster may make: with hardware events, or times
/// only.
enum class Counting : std::uint8_t { kEvents, kTimesOnly };

/// The profile that Huddle's recorder would write of the run: times and counts with errors of
/// measurement, messages, phases between delimiters. Nothing of the simulation's parameters is in
/// it that a recorder does not see.
Profile observed_profile(const Cluster& cluster, const Program& program, const Placement& placement,
                         const Run& run, Counting counting);

}  // namespace huddle::evaluation
