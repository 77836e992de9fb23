#include "aggregator/commands/common/frequency_option.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency_text.hpp"

namespace huddle {
namespace {

std::optional<FrequencyRange> between(std::optional<Hertz> lowest, std::optional<Hertz> highest) {
  if (!lowest || !highest || *lowest > *highest) return std::nullopt;
  return FrequencyRange{*lowest, *highest};
}

// "1.2-2.4GHz": the unit of the second one counts for the first one, too.
std::string with_unit_of(const std::string& number, const std::string& other) {
  const bool bare = number.find_first_not_of(" .0123456789") == std::string::npos;
  const std::size_t unit = other.find_last_not_of("GMKHZgmkhz ");
  return bare && unit != std::string::npos ? number + other.substr(unit + 1) : number;
}

std::optional<FrequencyRange> parse_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) return between(parse_frequency(text), parse_frequency(text));
  const std::string lowest = text.substr(0, dash);
  const std::string highest = text.substr(dash + 1);
  return between(parse_frequency(with_unit_of(lowest, highest)), parse_frequency(highest));
}

}  // namespace

std::optional<FrequencyRange> frequencies_from(const std::string& text) {
  if (text == "keep") return std::nullopt;
  if (text == "auto") return FrequencyRange{};
  if (const std::optional<FrequencyRange> range = parse_range(text)) return range;
  throw UsageError(fmt::format(
      "--frequency {}: expected keep, auto, a frequency such as 1.8GHz, or a range such "
      "as 1.2GHz-2.4GHz",
      shortened(text)));
}

}  // namespace huddle
