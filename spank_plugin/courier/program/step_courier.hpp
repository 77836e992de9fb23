#pragma once

namespace huddle {

/// `huddle_courier`: started by the slurmstepd of a measured step with a connection as standard
/// input. Becomes a process that belongs to nobody (new session, no descriptor of slurmstepd's, no
/// cgroup of the job), reads the order (courier_order.hpp), takes the user's rights and no others,
/// makes the spool and answers one byte. Then it brings what the step's ranks leave in the spool to
/// the store (SpoolDelivery) until the connection ends, and removes the spool. Where the store does
/// not answer it hangs alone. Returns the exit status.
int carry_profiles();

}  // namespace huddle
