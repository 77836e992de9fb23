#include "profiles/formats/plan/decision.hpp"

#include <array>

#include "profiles/formats/plan/plan_members.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 3> kActions = {"apply", "measure", "leave"};

// A frequency that no hardware's cpufreq will have.
constexpr std::uint32_t kMostKilohertz = 1'000'000'000;

template <class Members>
void describe_prediction(Members& members, In<Members, Decision>& decision) {
  members.optional("teams", decision.teams);
  members.optional("teams_reason", decision.teams_reason);
  members.optional("teams_untried", decision.teams_untried);
  describe(members, decision.teams_programs);
  members.optional("frequency_khz", decision.frequency);
  members.optional("predicted_slowdown", decision.slowdown);
  members.optional("predicted_energy_saving", decision.energy_saving,
                   [](const Field& field, double saving) {
                     if (saving > 1) field.fail("a number up to 1");
                   });
}

}  // namespace

template <class Members>
void describe(Members& members, In<Members, KilohertzRange>& range) {
  members.required("min", range.min, at_most(kMostKilohertz), at_least(1U));
  members.required("max", range.max, at_most(kMostKilohertz),
                   [&](const Field& field, std::uint32_t max) {
                     if (max < range.min) field.fail("min or more");
                   });
}

template <class Members>
void describe(Members& members, In<Members, Decision>& decision) {
  using enum Decision::Action;
  members.required("action",
                   named(decision.action, kActions, "\"apply\", \"measure\" or \"leave\""));
  members.required("reason", decision.reason);
  if (decision.action == kLeave) members.optional("compared", decision.compared);
  if (decision.action != kLeave) members.optional("claim", decision.claim);
  const bool lays_out = members.present("plan", decision.lays_out()) ||
                        (Members::kReads && decision.action == kApply);
  if (decision.action != kLeave && lays_out) {
    members.required("plan", decision.plan_file);
    members.required("nodes", decision.nodes, at_least(1U));
    members.required("ranks_per_node", decision.ranks_per_node, at_least(1U));
    members.optional("pattern", decision.pattern);
    if (decision.action == kApply) members.optional("keeps_nodes", decision.keeps_nodes);
    describe_node_shape(members, decision.node_shape);
    if (decision.action == kApply) {
      members.optional("untried", decision.untried);
      members.optional("unconfirmed", decision.unconfirmed);
    }
  }
  if (decision.action != kMeasure) describe_prediction(members, decision);
}

Decision parse_decision(std::string_view text, std::string_view source) {
  return parse_document<Decision>(text, source);
}

std::string to_json(const Decision& decision) {
  return document_of(decision).dump(1) + "\n";
}

}  // namespace huddle
