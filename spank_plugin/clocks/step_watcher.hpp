#pragma once

namespace huddle::clocks {

/// `huddle_clocks watch`: the watcher of one limited step, started by its slurmstepd with a
/// connection as standard input. Becomes a process that belongs to nobody (new session, no
/// descriptor of slurmstepd's, no cgroup of the job), reads the order, answers one byte when it is
/// ready, and after another byte from slurmstepd watches until the step is over. It ends, with the
/// step's clocks put back, when the step is over, when the connection ends before that byte, and
/// on SIGTERM. Returns the exit status.
int watch_step();

}  // namespace huddle::clocks
