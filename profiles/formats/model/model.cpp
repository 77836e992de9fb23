#include "profiles/formats/model/model.hpp"

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/model/model_encoding.hpp"
#include "profiles/formats/model/model_reader.hpp"

namespace huddle {

Model parse_model(std::string_view bytes, std::string_view file) {
  return read_model(Document::parse(bytes, file, Model::kFormat, Model::kVersion).root());
}

Model load_model(const std::filesystem::path& path) {
  const DocumentLimits limits{.file_bytes = std::uint64_t{256} << 20U};
  return read_model(Document::load(path, Model::kFormat, Model::kVersion, limits).root());
}

void save_model(const Model& model, const std::filesystem::path& path) {
  save_json(path, encoded(model));
}

std::string to_json(const Model& model) {
  return encoded(model).dump(1) + "\n";
}

}  // namespace huddle
