#pragma once

// The model document: what huddle train has learnt from training programs. Described field by field
// in docs/formats/model.md.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/predict/computation/training.hpp"

namespace huddle::predict {

/// The model that training learnt, with where it is from.
struct Model {
  static constexpr std::string_view kFormat = "model";
  static constexpr unsigned kVersion = 1;

  /// Name of the machine that the programs ran on; may be empty.
  std::string machine = {};
  ComputationModel computation = {};
  /// Files that it was made from.
  std::vector<std::string> made_from = {};
};

/// Throws SystemError or FormatError (see document.hpp): nothing of a broken file is returned.
Model load_model(const std::filesystem::path& path);
/// The same from memory; `file` is what errors call it.
Model parse_model(std::string_view bytes, std::string_view file);

/// Writes atomically. Throws SystemError.
void save_model(const Model& model, const std::filesystem::path& path);
/// The document as text.
std::string to_json(const Model& model);

}  // namespace huddle::predict
