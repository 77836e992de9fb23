#include "profiles/vocabulary/problem_size.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace huddle {
namespace {

std::optional<double> factor_of(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || rest != end || !(value > 0)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_problem_size(std::string_view text) {
  double size = 1;
  for (bool more = true; more;) {
    const std::size_t end = text.find_first_of("xX*");
    const std::optional<double> factor = factor_of(text.substr(0, end));
    if (!factor) return std::nullopt;
    size *= *factor;
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
  }
  if (!std::isfinite(size) || size <= 0) return std::nullopt;
  return size;
}

std::string problem_size_text(double size) {
  return fmt::format("{}", size);
}

}  // namespace huddle
