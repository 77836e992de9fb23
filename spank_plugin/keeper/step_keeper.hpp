#pragma once

#include "spank_plugin/keeper/clock_envelope.hpp"
#include "spank_plugin/keeper/keeper_server.hpp"

namespace huddle::keeper {

/// `huddle_clocks keep`: the keeper of one step's clocks, started by its slurmstepd with a
/// connection as standard input. Becomes a process that belongs to nobody, as the watcher does;
/// reads whose it is, listens for ranks, answers one byte; reads the envelope, opens its files,
/// gives up its rights, answers another byte, and serves ranks until the connection ends, the
/// watcher of the step ends, or SIGTERM comes. Then the clocks get the most of the envelope. Until
/// it has read the envelope it can write to no clock. Returns the exit status.
int keep_step();

/// Serves as a keeper from when its envelope is open and its rights are dropped, until its step is
/// over: serves the step's ranks at `listening`, a listening socket of packets, until `control` is
/// at its end, `companion` (negative: there is none) can be read, such as the pidfd of a process
/// that has ended, or this process gets SIGTERM. Then, and whatever fails, all clocks get the most
/// of the envelope. Returns 0, or 1 if that could not be written to all, or serving failed.
///
/// All descriptors stay the caller's; `listening` becomes non-blocking. Raises the limit of open
/// descriptors as far as needed and allowed. To be called while there is one thread; SIGTERM is
/// blocked meanwhile. Throws nothing.
int keep_clocks(const ClockEnvelope& envelope, const KeeperSettings& settings, int listening,
                int control, int companion = -1) noexcept;

}  // namespace huddle::keeper
