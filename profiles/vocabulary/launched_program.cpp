#include "profiles/vocabulary/launched_program.hpp"

namespace huddle {

std::string LaunchedProgram::name() const {
  return path.substr(path.rfind('/') + 1);
}

namespace {

// Each number stands for any other.
std::string without_numbers(std::string_view path) {
  std::string rest;
  for (const char c : path) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || rest.empty() || rest.back() != '0') rest += digit ? '0' : c;
  }
  return rest;
}

}  // namespace

bool same_program(const LaunchedProgram& one, const LaunchedProgram& other) {
  if (one.path.empty() || other.path.empty() || one.name() != other.name()) return false;
  return without_numbers(one.path) == without_numbers(other.path) || one.build_id.empty() ||
         other.build_id.empty() || one.build_id == other.build_id;
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
