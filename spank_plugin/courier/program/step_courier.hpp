#pragma once

namespace huddle {

/// `huddle_courier`: started by the slurmstepd of a measured step with a connection as standard
/// input. Becomes a process that belongs to nobody (new session, no descriptor of slurmstepd's, no
/// cgroup of the job), reads the order (courier_order.hpp), takes the user's rights and no others,
/// makes the spool and answers one byte. Then it brings what the step's ranks leave in the spool to
/// the store (SpoolDelivery) until the connection ends, and removes the spool. Where the store does
/// not answer it hangs alone, until its alarm kills it (CourierOrder::seconds_after_step). Works
/// within limits (courier_limits.hpp, CarrierLimits), of which 32 MiB/s and nice 10 are two, and
/// while the step goes on for a tenth of the time at most. Before that it removes spools that
/// killed couriers of its user left. Returns the exit status.
int carry_profiles();

}  // namespace huddle
