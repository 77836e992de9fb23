#pragma once

#include <string>

#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::plugin {

/// In slurmstepd, before a step's tasks are: starts the courier (huddle_courier), which belongs to
/// the user, of a step that is measured, and of one with a record where a huddle-energyd knows its
/// energy. Without one the ranks write to the store themselves, and the energy is not recorded;
/// slurmd's log says why. None is started where the user has kMostCouriers on this node
/// (courier_order.hpp): then the step's ranks here are not measured. Ends stopped ones before.
void start_courier(spank_t spank, const submission::Settings& settings);

/// In a task, which is a copy of that slurmstepd: why the step is not measured, for people; empty
/// unless its user has too many couriers.
std::string why_no_courier();

/// The same: shows its ranks the courier's spool, or that
/// there is none. Throws Error if Slurm refuses.
void offer_spool(const TaskEnvironment& environment);

/// The same: leaves what this process had to say and must not print for the record of its step, by
/// way of the spool, or that of another courier of the user, if there is one. Throws Error.
void leave_unsaid_lines(spank_t spank);

/// At the job's end on this node, once its steps have ended: waits until the couriers of its steps
/// have brought what they carry, at most a second. Nothing of the job waits for that, and who looks
/// for a profile when the job has ended finds it.
void wait_for_couriers(spank_t spank);

}  // namespace huddle::plugin
