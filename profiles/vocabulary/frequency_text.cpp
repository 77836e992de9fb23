#include "profiles/vocabulary/frequency_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace huddle {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
    {{"", 1}, {"hz", 1}, {"khz", 1e3}, {"mhz", 1e6}, {"ghz", 1e9}}};

std::string lower_without_spaces(std::string_view text) {
  std::string lower;
  for (const char letter : text)
    if (letter != ' ')
      lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  return lower;
}

}  // namespace

std::string text_of(Hertz frequency) {
  return fmt::format("{:.4g} GHz", frequency.value / 1e9);
}

std::optional<Hertz> parse_frequency(std::string_view text) {
  const std::string lower = lower_without_spaces(text);
  const char* const end = lower.data() + lower.size();
  double number = 0;
  const auto [rest, failure] = std::from_chars(lower.data(), end, number);
  if (failure != std::errc{}) return std::nullopt;
  for (const auto& [unit, hertz] : kUnits) {
    if (std::string_view(rest, static_cast<std::size_t>(end - rest)) != unit) continue;
    const double value = number * hertz;
    if (!std::isfinite(value) || value <= 0) return std::nullopt;
    return Hertz{value};
  }
  return std::nullopt;
}

}  // namespace huddle
