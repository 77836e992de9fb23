#pragma once

namespace huddle {

/// `huddle_clocks keep`: the keeper of one step's clocks, started by its slurmstepd with a
/// connection as standard input. Becomes a process that belongs to nobody, as the watcher does;
/// reads whose it is, listens for ranks, answers one byte; reads the envelope, opens its files,
/// gives up its rights, answers another byte, and serves ranks until the connection ends, the
/// watcher of the step ends, or SIGTERM comes. Then the clocks get the most of the envelope. Until
/// it has read the envelope it can write to no clock. Returns the exit status.
int keep_step();

}  // namespace huddle
