#include "aggregator/operations/sacct/sacct_text.hpp"

#include <cmath>
#include <cstdint>

namespace huddle::operations {

std::optional<double> seconds_in(std::string_view text) {
  double days = 0;
  if (text.find('-') != std::string_view::npos) {
    const auto whole = number_in<std::uint32_t>(next_part(text, '-'));
    if (!whole) return std::nullopt;
    days = *whole;
  }
  double seconds = 0;
  int parts = 0;
  while (!text.empty()) {
    if (++parts > 3 || text.front() == '-') return std::nullopt;
    const bool is_last = text.find(':') == std::string_view::npos;
    const std::string_view part = next_part(text, ':');
    const auto value =
        is_last ? number_in<double>(part) : std::optional<double>(number_in<std::uint32_t>(part));
    if (!value || !std::isfinite(*value)) return std::nullopt;
    seconds = 60 * seconds + *value;
  }
  if (parts < 2) return std::nullopt;
  return 24 * 60 * 60 * days + seconds;
}

std::optional<double> bytes_in(std::string_view text, double unit) {
  constexpr std::string_view kUnits = "BKMGTP";
  if (text.empty()) return std::nullopt;
  if (const std::size_t power = kUnits.find(text.back()); power != std::string_view::npos) {
    unit = std::ldexp(1.0, 10 * static_cast<int>(power));
    text.remove_suffix(1);
  }
  const auto value = number_in<double>(text);
  if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
  return *value * unit;
}

std::string_view resource_in(std::string_view list, std::string_view resource) {
  while (!list.empty()) {
    std::string_view value = next_part(list, ',');
    if (next_part(value, '=') == resource) return value;
  }
  return {};
}

bool has_resource(std::string_view list, std::string_view beginning) {
  while (!list.empty()) {
    std::string_view value = next_part(list, ',');
    if (next_part(value, '=').starts_with(beginning) && value != "0") return true;
  }
  return false;
}

}  // namespace huddle::operations
