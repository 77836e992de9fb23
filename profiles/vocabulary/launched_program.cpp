#include "profiles/vocabulary/launched_program.hpp"

namespace huddle {

std::string LaunchedProgram::name() const {
  return path.substr(path.rfind('/') + 1);
}

bool same_program(const LaunchedProgram& one, const LaunchedProgram& other) {
  if (one.path.empty() || other.path.empty() || one.name() != other.name()) return false;
  return one.path == other.path || one.build_id.empty() || other.build_id.empty() ||
         one.build_id == other.build_id;
}

std::string text_of(const LaunchedProgram& program) {
  return program.build_id + ":" + program.path;
}

LaunchedProgram launched_program_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  return {std::string(text.substr(colon + 1)), std::string(text.substr(0, colon))};
}

}  // namespace huddle
