#include "aggregator/forecast/table/given_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/forecast/table/cell_number.hpp"
#include "aggregator/forecast/table/measurement_units.hpp"
#include "aggregator/forecast/table/name_pattern.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 5> kRoles = {"size", "processes", "threads", "frequency",
                                                    "region"};
constexpr std::size_t kLongestNumber = 64;

std::optional<GivenValue> count_from(std::string_view text) {
  GivenValue given;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, given.number);
  if (failure != std::errc{} || stop != end || !(given.number >= 1) ||
      given.number != std::floor(given.number) || given.number > 1e12)
    return std::nullopt;
  return given;
}

std::optional<GivenValue> frequency_from(std::string_view text) {
  const CellNumber number = cell_number(text, '.');
  if (number.kind != CellKind::number || !(number.value > 0)) return std::nullopt;
  GivenValue given;
  if (number.suffix.empty()) given.granted_unit = likely_frequency_unit(number.value);
  const auto unit = unit_named(number.suffix.empty() ? given.granted_unit : number.suffix);
  if (!unit || unit->dimension != Dimension::frequency) return std::nullopt;
  given.number = unit->in_base(number.value);
  return given;
}

// Nothing if the text is no value of the role.
std::optional<GivenValue> value_from(std::string_view role, std::string_view text) {
  std::optional<GivenValue> given;
  if (role == "region") {
    if (!text.empty()) given.emplace();
  } else if (text.size() > kLongestNumber || text.ends_with('.')) {
    return std::nullopt;
  } else if (role == "size") {
    if (const auto size = parse_problem_size(text)) given = {{}, *size, {}, {}};
  } else {
    given = role == "frequency" ? frequency_from(text) : count_from(text);
  }
  if (given) given->text = text;
  return given;
}

std::string_view values_of(std::string_view role) {
  if (role == "size") return kProblemSizes;
  if (role == "frequency") return "a frequency such as 2.4GHz";
  if (role == "region") return "a name";
  return "a whole number of at least 1";
}

void check_role(const char* option, std::string_view role) {
  if (std::ranges::find(kRoles, role) == kRoles.end())
    throw UsageError(fmt::format("{} {}: expected one of {}: what was measured stands in columns",
                                 option, shortened(role), fmt::join(kRoles, ", ")));
}

bool is_part_of(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

// Of "128" also "12" and "8" could be read: the longest counts, and all that is no part of it.
std::vector<std::string_view> longest_of(const std::vector<std::string_view>& readings) {
  std::vector<std::string_view> longest;
  for (const std::string_view reading : readings) {
    const bool is_part = std::ranges::any_of(readings, [&](std::string_view other) {
      return other.size() > reading.size() && is_part_of(reading, other);
    });
    if (!is_part) longest.push_back(reading);
  }
  return longest;
}

GivenValue value_in_name(std::string_view role, const std::string& pattern, std::string_view file) {
  const std::string option = fmt::format("--from-name {}={}", role, pattern);
  if (file == kStandardInput)
    throw UsageError(
        fmt::format("{}: standard input has no name: --set {}=... says it", option, role));
  const std::string name = std::filesystem::path(file).lexically_normal().string();
  std::vector<std::string_view> readings = NamePattern(pattern).readings(name);
  std::erase_if(readings, [&](std::string_view text) { return !value_from(role, text); });
  if (role != "region") readings = longest_of(readings);
  if (readings.empty())
    throw UsageError(
        fmt::format("{}: the name of {} is not like this: expected {} where {{}} stands, and "
                    "* for whatever differs between names",
                    option, shortened(file, 200), values_of(role)));
  if (readings.size() > 1)
    throw UsageError(
        fmt::format("{}: in the name of {}, {{}} may be \"{}\" or \"{}\": expected a "
                    "pattern that leaves one",
                    option, shortened(file, 200), shortened(readings[0]), shortened(readings[1])));
  GivenValue given = *value_from(role, readings[0]);
  given.from = fmt::format("the file's name, {}", pattern);
  return given;
}

}  // namespace

void check_given_values(const MeasurementCsvOptions& options) {
  for (const auto& [role, text] : options.values) {
    check_role("--set", role);
    if (!value_from(role, text))
      throw UsageError(
          fmt::format("--set {}={}: expected {}", role, shortened(text), values_of(role)));
    if (options.name_patterns.contains(role))
      throw UsageError(
          fmt::format("--set and --from-name both give the {}: expected one of them", role));
  }
  for (const auto& [role, pattern] : options.name_patterns) {
    check_role("--from-name", role);
    const NamePattern check(pattern, fmt::format("--from-name {}={}", role, shortened(pattern)));
  }
}

std::optional<GivenValue> given_value(std::string_view role, std::string_view file,
                                      const MeasurementCsvOptions& options) {
  if (const auto set = options.values.find(role); set != options.values.end()) {
    std::optional<GivenValue> given = value_from(role, set->second);
    if (given) given->from = fmt::format("--set {}={}", role, set->second);
    return given;
  }
  const auto pattern = options.name_patterns.find(role);
  if (pattern == options.name_patterns.end()) return std::nullopt;
  return value_in_name(role, pattern->second, file);
}

}  // namespace huddle
