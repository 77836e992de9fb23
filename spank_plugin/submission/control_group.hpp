#pragma once

// The control group: jobs that would be packed and are drawn to run as submitted, so that packed
// ones can be compared with them.

#include <optional>
#include <string>

#include "profiles/formats/outcome/control_draw.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/submission/asked/submitted_job.hpp"

namespace huddle::submission {

/// Draws for a job that `decision` would pack, before anything of its run is known. Nothing where
/// the site has no control group, the job keeps its nodes, or the user names the plan.
std::optional<ControlDraw> draw_for_control(const Policy& policy, const SubmittedJob& job,
                                            const Decision& decision);

/// The reason of a job that was drawn, for its user.
std::string words_of(const ControlDraw& draw);

}  // namespace huddle::submission
