#pragma once

// Dependence of computation on the frequency of the cores, by runs at several frequencies or by
// their events.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/predict/computation/contention.hpp"
#include "aggregator/predict/computation/samples.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The mean frequency of the cores while a run computed: its cycles over its CPU time (the event
/// "task-clock" where it was counted, else the ranks' CPU time), over all ranks that know both.
/// Where only the cycles of user space could be counted it is somewhat too low, by the share of
/// time in the kernel. Nothing if no rank knows both.
std::optional<Hertz> effective_frequency(const Profile& profile);

/// The settable frequency that a run had: the one nearest to its effective frequency; the nominal
/// one if that is unknown, or less than 10 % from the nominal one.
Hertz settable_frequency_of(const Profile& profile, const Frequencies& frequencies);

/// Computation of which the cores are busy for `core` while the rest waits for memory, which keeps
/// its own clock: `core` grows with `core_slowdown`, the nominal frequency over the one that is
/// set, and the rest stays. What cores do takes the same time on every pattern, and so `core` may
/// come from another pattern than `all`; more than `all` counts as `all`. `all` is above 0.
Stretch stretch_of(Seconds core, Seconds all, double core_slowdown);

/// A run at one frequency.
struct FrequencySample {
  /// The pattern it ran on, "2:1:1".
  std::string pattern;
  /// The nominal frequency over that of the run.
  double core_slowdown = 1;
  /// Wall time outside MPI, mean over the ranks.
  Seconds time;
};

/// The time at the nominal frequency that cores are busy, by runs at several frequencies: the slope
/// of T = waiting(pattern) + core x core_slowdown, least squares, one slope for all patterns.
/// Nothing if no pattern ran at two frequencies.
std::optional<Seconds> core_time_by_frequencies(const std::vector<FrequencySample>& samples);

/// The same, estimated from instructions per cycle (IPC) of runs at the nominal frequency: a phase
/// group that does an instruction in each cycle or more never waits, and one that does fewer waits
/// for memory in the cycles in which it does none, but no longer than its cache misses take one
/// after the other, if they were counted (both figures assumed: a program may also wait for
/// itself). Of several patterns the one where cores are busiest counts, and groups without IPC as
/// never waiting. Nothing if no group has it.
std::optional<Seconds> core_time_by_ipc(const ProgramSamples& samples);

}  // namespace huddle::predict
