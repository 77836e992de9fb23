#include "profiles/formats/decision.hpp"

#include <array>

#include "profiles/formats/document.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 3> kActions = {"apply", "measure", "leave"};

Decision::Action read_action(const Field& field) {
  for (std::size_t i = 0; i < kActions.size(); ++i)
    if (field.text() == kActions[i]) return static_cast<Decision::Action>(i);
  field.fail("\"apply\", \"measure\" or \"leave\"");
}

}  // namespace

Decision parse_decision(std::string_view text, std::string_view source) {
  const Document document = Document::parse(text, source, Decision::kFormat, Decision::kVersion);
  const Field root = document.root();
  Decision decision;
  decision.action = read_action(root.at("action"));
  decision.reason = root.at("reason").text();
  if (decision.action == Decision::Action::kLeave) return decision;
  if (decision.action == Decision::Action::kMeasure && !root.has("plan")) return decision;
  decision.plan_file = root.at("plan").text();
  decision.nodes = root.at("nodes").unsigned_32();
  if (decision.nodes == 0) root.at("nodes").fail("1 or more");
  decision.ranks_per_node = root.at("ranks_per_node").unsigned_32();
  if (decision.ranks_per_node == 0) root.at("ranks_per_node").fail("1 or more");
  return decision;
}

std::string to_json(const Decision& decision) {
  nlohmann::ordered_json document = new_document(Decision::kFormat, Decision::kVersion);
  document["action"] = kActions[static_cast<std::size_t>(decision.action)];
  document["reason"] = utf8(decision.reason);
  if (decision.action != Decision::Action::kLeave && decision.lays_out()) {
    document["plan"] = utf8(decision.plan_file);
    document["nodes"] = decision.nodes;
    document["ranks_per_node"] = decision.ranks_per_node;
  }
  return document.dump(1) + "\n";
}

}  // namespace huddle
