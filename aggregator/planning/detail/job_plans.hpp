#pragma once

#include <filesystem>
#include <vector>

#include "aggregator/planning/detail/sample_files.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// The best plan of each of a job's programs, in that order, all on equally many nodes: each
/// program's own time is within the bound. Frequencies are kept where there are several programs.
/// Empty if no pattern of one of them is feasible.
std::vector<Plan> make_plans(const PlanRequest& request, const std::vector<Samples>& programs,
                             const Recommender& recommender);

/// The largest predicted upper end of the programs' times, against the reference; 0 or more.
double worst_slowdown(const std::vector<Plan>& plans);

/// Stores the plans of a job as one: `file` is that of the first program's, the others are beside
/// it. Throws SystemError.
void save_plans(std::vector<Plan>& plans, const std::filesystem::path& file);

}  // namespace huddle
