#pragma once

#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::plugin {

/// Root's acts on the frequencies of a node. All of these believe the policy and nothing that a
/// user wrote but HUDDLE_FREQUENCY, within the site's limits; what they could not do is in a line
/// of slurmd's log, and where it is about a step, of its user.

/// slurmstepd, before the tasks of a step start: limits the step's cores, or the job's cores here
/// for the step of its script or shell, as HUDDLE_FREQUENCY says, and starts a watcher that puts
/// them back. Without a watcher, or where slurmd has not loaded the plugin, nothing is limited. A
/// step that requests nothing is freed of the limits that another job has on its cores.
/// Throws Error before anything was changed.
void limit_step_frequencies(spank_t spank, const submission::Settings& settings);

/// slurmstepd, as soon as what it says reaches the user: at most four lines, none if all is as
/// asked.
void report_frequencies();

/// slurmstepd, at the end of the step: takes that back. Throws Error.
void release_step_frequencies();

/// The epilog: takes back whatever is left of the job on this node; by the journal in its usual
/// place if the policy is not to be believed. Throws Error.
void release_job_frequencies(spank_t spank, const submission::Settings& settings);

/// slurmd, when it starts: marks this node as one whose slurmd has the plugin, and takes back what
/// slurmstepds left that are gone; the same holds. Throws Error.
void release_dead_frequencies(const submission::Settings& settings);

}  // namespace huddle::plugin
