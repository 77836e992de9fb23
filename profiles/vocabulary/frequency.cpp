#include "profiles/vocabulary/frequency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
    {{"", 1}, {"hz", 1}, {"khz", 1e3}, {"mhz", 1e6}, {"ghz", 1e9}}};

std::string lower_without_spaces(std::string_view text) {
  std::string lower;
  for (const char letter : text)
    if (letter != ' ') lower.push_back(in_lower_case(letter));
  return lower;
}

constexpr Hertz kLeast{1e6};
constexpr Hertz kMost{100e9};

std::string_view unit_of(std::string_view text) {
  const auto end = text.find_last_of("0123456789.");
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

// "1.2" of "1.2-2.4GHz" is in the other one's unit.
std::optional<Hertz> parse_in_unit(std::string_view text, std::string_view other) {
  if (!unit_of(text).empty()) return parse_frequency(text);
  return parse_frequency(std::string(text) + std::string(unit_of(other)));
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

FrequencyRange common_part(const FrequencyRange& a, const FrequencyRange& b) {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}

std::string text_of(const FrequencyRange& range) {
  if (range.lowest == range.highest) return text_of(range.lowest);
  return fmt::format("{} to {}", text_of(range.lowest), text_of(range.highest));
}

std::string kilohertz_text_of(const FrequencyRange& range) {
  return fmt::format("{:.0f}-{:.0f}", range.lowest.value / 1e3, range.highest.value / 1e3);
}

std::optional<FrequencyRange> parse_frequency_range(std::string_view text) {
  const auto dash = text.find('-');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  const auto lowest = parse_in_unit(first, last);
  const auto highest = parse_frequency(last);
  if (!lowest || !highest || *lowest < kLeast || *highest > kMost) return std::nullopt;
  const FrequencyRange range{*lowest, *highest};
  if (range.empty()) return std::nullopt;
  return range;
}

std::optional<FrequencyWish> parse_frequency_wish(std::string_view text) {
  if (text == "keep") return FrequencyWish{};
  if (text == "auto") return FrequencyWish{FrequencyWish::Kind::kAuto};
  const auto range = parse_frequency_range(text);
  if (!range) return std::nullopt;
  return FrequencyWish{FrequencyWish::Kind::kRange, *range};
}

std::string text_of(const FrequencyWish& wish) {
  if (wish.kind == FrequencyWish::Kind::kKeep) return "keep";
  if (wish.kind == FrequencyWish::Kind::kAuto) return "auto";
  return kilohertz_text_of(wish.range) + "kHz";
}

}  // namespace huddle
