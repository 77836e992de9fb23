#pragma once

// Members that a plan has in common with a decision, with the answers of commands, and with the
// plan of which a job's teams are a part. This header brings nlohmann/json, so only .cpp files
// include it.

#include "profiles/formats/document/members.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_parts.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle {

template <class Members>
void describe(Members& members, In<Members, PatternForecast>& forecast) {
  members.required("pattern", forecast.pattern);
  members.required("ranks_per_node", forecast.ranks_per_node);
  members.required("nodes", forecast.nodes);
  members.required("time_s", forecast.time);
  members.required("computation_s", forecast.computation);
  members.required("communication_s", forecast.communication);
  members.required("slowdown", forecast.slowdown);
  members.optional("communication_bound_s", forecast.communication_bound);
  members.optional("time_low_s", forecast.time_low);
  members.optional("time_high_s", forecast.time_high);
  members.given("energy_j", forecast.energy);
  members.optional("machine_energy_j", forecast.machine_energy);
  members.optional("frequency_hz", forecast.frequency, kAboveZero);
  members.optional("coverage", named(forecast.coverage, coverage_of, kCoverageNames));
  members.optional("rests_on", forecast.rests_on);
  members.required("feasible", forecast.feasible);
  members.required("reason", forecast.reason);
}

/// The members `node_packages` and `node_cores`; nothing if it has neither.
template <class Members>
void describe_node_shape(Members& members, In<Members, std::optional<NodeShape>>& shape) {
  const bool known = shape.has_value();
  if (!members.present("node_packages", known) && !members.present("node_cores", known)) return;
  auto& found = part(members, shape);
  members.required("node_packages", found.packages, at_most(PuSet::kLimit), at_least(1U));
  members.required("node_cores", found.cores, at_most(PuSet::kLimit), at_least(1U));
}

template <class Members>
void describe(Members& members, In<Members, TeamPrograms>& programs) {
  const auto ascending = [](const Field& field, const std::vector<std::string>& builds) {
    for (std::size_t i = 1; i < builds.size(); ++i)
      if (builds[i - 1] >= builds[i]) field.element(i).fail("ascending build ids");
  };
  members.optional("teams_programs", programs.builds, ascending);
  members.optional("teams_sized", programs.sized, ascending);
}

}  // namespace huddle
