#pragma once

#include <string>

#include "spank_plugin/submission/job_limits.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle {

/// Why a job of that size would wait for ever, or be refused: the limits of its association and of
/// its QOS, and of its partition's QOS, as far as the controller shows them to this user. Empty if
/// nothing forbids it. Sites without accounting have none. Throws Error if the controller does not
/// answer.
std::string why_limits_forbid(const SlurmClient& client, const JobSize& size);

}  // namespace huddle
