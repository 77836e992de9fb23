#include "aggregator/forecast/table/detail/given_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 8> kRoles = {
    "size", "processes", "threads", "frequency", "nodes", "ranks_per_node", "packages", "region"};
constexpr std::size_t kLongestNumber = 64;
constexpr std::string_view kMark = "{}";

// The number in the table's unit; nothing if the text is no value of the role.
std::optional<double> value_from(std::string_view role, std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (role == "region") return 0;
  if (text.size() > kLongestNumber || text.ends_with('.')) return std::nullopt;
  if (role == "size") return parse_problem_size(text);
  const CellNumber number = cell_number(text, '.');
  if (number.kind != CellKind::number || !(number.value > 0)) return std::nullopt;
  if (role == "frequency") {
    const auto unit = unit_named(number.suffix);
    if (!unit || unit->dimension != Dimension::frequency) return std::nullopt;
    return unit->in_base(number.value);
  }
  if (!number.suffix.empty() || number.value != std::floor(number.value) || number.value > 1e12)
    return std::nullopt;
  return number.value;
}

std::string_view values_of(std::string_view role) {
  if (role == "size") return kProblemSizes;
  if (role == "frequency") return "a frequency with its unit, such as 2.4GHz";
  if (role == "region") return "a name";
  return "a whole number of at least 1";
}

void check_role(const char* option, std::string_view role) {
  if (std::ranges::find(kRoles, role) == kRoles.end())
    throw UsageError(fmt::format("{} {}: expected one of {}: what was measured stands in columns",
                                 option, shortened(role), fmt::join(kRoles, ", ")));
}

// Whether text is as a pattern says in which '*' is any text without '/', and all else itself.
bool is_like(std::string_view pattern, std::string_view text) {
  std::string escaped;
  for (const char c : pattern) {
    if (c == '?' || c == '[' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return ::fnmatch(escaped.c_str(), std::string(text).c_str(), FNM_PATHNAME) == 0;
}

// The last parts of a path: as many as there are '/' among them, and one.
std::string_view last_parts(std::string_view path, std::ptrdiff_t slashes) {
  std::size_t at = path.size();
  for (; at > 0; --at)
    if (path[at - 1] == '/' && slashes-- == 0) break;
  return path.substr(at);
}

// All texts that "{}" may stand for in a file's name; none of them is empty or holds '/'.
// Precondition: the pattern has "{}" once.
std::vector<std::string_view> readings_of(std::string_view pattern, std::string_view file) {
  const std::size_t mark = pattern.find(kMark);
  const std::string_view behind = pattern.substr(mark + kMark.size());
  const std::string_view name = last_parts(file, std::ranges::count(pattern, '/'));
  std::vector<std::string_view> found;
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    if (!is_like(pattern.substr(0, mark), name.substr(0, begin))) continue;
    for (std::size_t end = begin + 1; end <= name.size() && name[end - 1] != '/'; ++end)
      if (is_like(behind, name.substr(end))) found.push_back(name.substr(begin, end - begin));
  }
  return found;
}

// Of "128" also "12" and "8" could be read: the longest counts, and all that is no part of it.
void keep_longest(std::vector<std::string_view>& readings) {
  const std::vector<std::string_view> all = readings;
  std::erase_if(readings, [&](std::string_view part) {
    return std::ranges::any_of(all, [&](std::string_view whole) {
      return whole.size() > part.size() && part.data() >= whole.data() &&
             part.data() + part.size() <= whole.data() + whole.size();
    });
  });
}

GivenValue value_in_name(std::string_view role, const std::string& pattern, std::string_view file) {
  const std::string option = fmt::format("--from-name {}={}", role, pattern);
  if (file == kStandardInput)
    throw UsageError(
        fmt::format("{}: standard input has no name: --set {}=... gives it", option, role));
  const std::string name = std::filesystem::path(file).lexically_normal().string();
  std::vector<std::string_view> readings = readings_of(pattern, name);
  std::erase_if(readings, [&](std::string_view text) { return !value_from(role, text); });
  if (role != "region") keep_longest(readings);
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
  return {std::string(readings[0]), *value_from(role, readings[0]),
          fmt::format("the file's name, {}", pattern)};
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
    const std::size_t mark = pattern.find(kMark);
    if (mark == std::string::npos || pattern.find(kMark, mark + 1) != std::string::npos)
      throw UsageError(fmt::format(
          "--from-name {}={}: expected {{}} once in the pattern, where the value stands, and * for "
          "whatever differs, as in \"run_{{}}_*.csv\"",
          role, shortened(pattern)));
  }
}

std::optional<GivenValue> given_value(std::string_view role, std::string_view file,
                                      const MeasurementCsvOptions& options) {
  if (const auto set = options.values.find(role); set != options.values.end())
    return GivenValue{set->second, value_from(role, set->second).value_or(0),
                      fmt::format("--set {}={}", role, set->second)};
  const auto pattern = options.name_patterns.find(role);
  if (pattern == options.name_patterns.end()) return std::nullopt;
  return value_in_name(role, pattern->second, file);
}

}  // namespace huddle
