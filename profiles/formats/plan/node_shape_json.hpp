#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/node_shape.hpp"

namespace huddle {

/// The members `node_packages` and `node_cores` of a plan or a decision; nothing if it has neither.
/// Throws FormatError.
std::optional<NodeShape> read_node_shape(const Field& root);

/// Adds them to the document if the shape is known.
void write_node_shape(const std::optional<NodeShape>& shape, nlohmann::ordered_json& document);

}  // namespace huddle
