#include "profiles/formats/plan/decision.hpp"

#include <array>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/node_shape_json.hpp"
#include "profiles/formats/plan/plan_teams.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 3> kActions = {"apply", "measure", "leave"};

Decision::Action read_action(const Field& field) {
  for (std::size_t i = 0; i < kActions.size(); ++i)
    if (field.text() == kActions[i]) return static_cast<Decision::Action>(i);
  field.fail("\"apply\", \"measure\" or \"leave\"");
}

// A frequency that no hardware's cpufreq will have.
constexpr std::uint32_t kMostKilohertz = 1'000'000'000;

KilohertzRange read_range(const Field& field) {
  KilohertzRange range;
  range.min = field.at("min").unsigned_32(kMostKilohertz);
  range.max = field.at("max").unsigned_32(kMostKilohertz);
  if (range.min == 0) field.at("min").fail("1 or more");
  if (range.max < range.min) field.at("max").fail("min or more");
  return range;
}

void read_prediction(const Field& root, Decision& decision) {
  if (root.has("teams")) decision.teams = root.at("teams").text();
  if (root.has("teams_reason")) decision.teams_reason = root.at("teams_reason").text();
  if (root.has("teams_untried")) decision.teams_untried = root.at("teams_untried").boolean();
  decision.teams_programs = read_team_programs(root);
  if (root.has("frequency_khz")) decision.frequency = read_range(root.at("frequency_khz"));
  if (root.has("predicted_slowdown")) decision.slowdown = root.at("predicted_slowdown").number();
  if (!root.has("predicted_energy_saving")) return;
  const Field saving = root.at("predicted_energy_saving");
  decision.energy_saving = saving.number();
  if (*decision.energy_saving > 1) saving.fail("a number up to 1");
}

void write_prediction(const Decision& decision, nlohmann::ordered_json& document) {
  if (!decision.teams.empty()) document["teams"] = utf8(decision.teams);
  if (!decision.teams_reason.empty()) document["teams_reason"] = utf8(decision.teams_reason);
  if (decision.teams_untried) document["teams_untried"] = true;
  write_team_programs(decision.teams_programs, document);
  if (decision.frequency)
    document["frequency_khz"] = {{"min", decision.frequency->min},
                                 {"max", decision.frequency->max}};
  if (decision.slowdown) document["predicted_slowdown"] = *decision.slowdown;
  if (decision.energy_saving) document["predicted_energy_saving"] = *decision.energy_saving;
}

}  // namespace

Decision parse_decision(std::string_view text, std::string_view source) {
  const Document document = Document::parse(text, source, Decision::kFormat, Decision::kVersion);
  const Field root = document.root();
  Decision decision;
  decision.action = read_action(root.at("action"));
  decision.reason = root.at("reason").text();
  if (decision.action == Decision::Action::kLeave) {
    if (root.has("compared")) decision.compared = root.at("compared").boolean();
    read_prediction(root, decision);
    return decision;
  }
  if (root.has("claim")) decision.claim = root.at("claim").text();
  if (decision.action == Decision::Action::kMeasure && !root.has("plan")) return decision;
  decision.plan_file = root.at("plan").text();
  decision.nodes = root.at("nodes").unsigned_32();
  if (decision.nodes == 0) root.at("nodes").fail("1 or more");
  decision.ranks_per_node = root.at("ranks_per_node").unsigned_32();
  if (decision.ranks_per_node == 0) root.at("ranks_per_node").fail("1 or more");
  if (root.has("pattern")) decision.pattern = root.at("pattern").text();
  decision.node_shape = read_node_shape(root);
  if (decision.action != Decision::Action::kApply) return decision;
  if (root.has("keeps_nodes")) decision.keeps_nodes = root.at("keeps_nodes").boolean();
  if (root.has("untried")) decision.untried = root.at("untried").boolean();
  if (root.has("unconfirmed")) decision.unconfirmed = root.at("unconfirmed").boolean();
  read_prediction(root, decision);
  return decision;
}

std::string to_json(const Decision& decision) {
  nlohmann::ordered_json document = new_document(Decision::kFormat, Decision::kVersion);
  document["action"] = kActions[static_cast<std::size_t>(decision.action)];
  document["reason"] = utf8(decision.reason);
  if (decision.compared) document["compared"] = true;
  if (decision.action != Decision::Action::kLeave && !decision.claim.empty())
    document["claim"] = utf8(decision.claim);
  if (decision.action != Decision::Action::kLeave && decision.lays_out()) {
    document["plan"] = utf8(decision.plan_file);
    document["nodes"] = decision.nodes;
    document["ranks_per_node"] = decision.ranks_per_node;
    if (!decision.pattern.empty()) document["pattern"] = utf8(decision.pattern);
    if (decision.keeps_nodes) document["keeps_nodes"] = true;
    write_node_shape(decision.node_shape, document);
    if (decision.untried) document["untried"] = true;
    if (decision.unconfirmed) document["unconfirmed"] = true;
  }
  if (decision.action != Decision::Action::kMeasure) write_prediction(decision, document);
  return document.dump(1) + "\n";
}

}  // namespace huddle
