#include "profiles/formats/plan/node_shape_json.hpp"

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle {
namespace {

std::uint32_t read_count(const Field& field) {
  const std::uint32_t count = field.unsigned_32(PuSet::kLimit);
  if (count == 0) field.fail("1 or more");
  return count;
}

}  // namespace

std::optional<NodeShape> read_node_shape(const Field& root) {
  if (!root.has("node_packages") && !root.has("node_cores")) return std::nullopt;
  return NodeShape{read_count(root.at("node_packages")), read_count(root.at("node_cores"))};
}

void write_node_shape(const std::optional<NodeShape>& shape, nlohmann::ordered_json& document) {
  if (!shape) return;
  document["node_packages"] = shape->packages;
  document["node_cores"] = shape->cores;
}

}  // namespace huddle
