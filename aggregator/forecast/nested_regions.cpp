#include "aggregator/forecast/nested_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr std::array<std::string_view, 4> kPathSeparators = {"=>", "->", ";", "/"};

bool is_whole_program(std::string_view region) {
  constexpr std::array<std::string_view, 11> kNames = {
      "main",  "int main", "void main",   "main__",        "_main", ".tau application",
      "total", "program",  "application", "whole program", "whole"};
  const std::string plain = in_lower_case(trimmed(region.substr(0, region.find_first_of("([{"))));
  return std::ranges::find(kNames, plain) != kNames.end();
}

// True where a beginning of the path, up to a separator, is a region itself.
bool begins_with_region(std::string_view path, const std::unordered_set<std::string_view>& names) {
  for (const std::string_view separator : kPathSeparators)
    for (std::size_t at = path.find(separator); at != std::string_view::npos;
         at = path.find(separator, at + 1))
      if (names.contains(trimmed(path.substr(0, at)))) return true;
  return false;
}

void remark_nested(const std::vector<std::string>& nested, std::string_view why,
                   NestedRegions& found) {
  const std::string others =
      nested.size() == 1 ? "lies"
                         : fmt::format("and {} lie", pluralize(nested.size() - 1, "other region",
                                                               "other regions"));
  found.remarks.push_back(
      fmt::format("\"{}\" {} inside of {}, and {} not added to it; --region uses some alone",
                  shortened(nested[0]), others, why, nested.size() == 1 ? "is" : "are"));
}

}  // namespace

NestedRegions nested_regions(const MeasurementTable& table) {
  const std::size_t count = table.regions.size();
  NestedRegions found{std::vector<bool>(count), {}};
  const MeasuredColumn* time = table.find(ColumnRole::time);
  const MeasuredColumn* column = time != nullptr ? time : table.find(ColumnRole::energy);
  if (column == nullptr || says_exclusive(column->name)) return found;
  std::vector<bool> has_rows(count);
  for (const std::uint32_t region : table.region) has_rows[region] = true;
  std::unordered_set<std::string_view> names;
  std::string_view whole;
  for (std::size_t region = 0; region < count; ++region) {
    if (!has_rows[region]) continue;
    const std::string_view name = trimmed(table.regions[region]);
    names.insert(name);
    if (whole.empty() && is_whole_program(name)) whole = table.regions[region];
  }
  std::vector<std::string> nested;
  for (std::size_t region = 0; region < count; ++region) {
    const std::string& name = table.regions[region];
    found.inside[region] =
        has_rows[region] && (whole.empty() ? begins_with_region(name, names) : name != whole);
    if (found.inside[region]) nested.push_back(name);
  }
  if (!nested.empty())
    remark_nested(nested,
                  whole.empty() ? "the region that its path begins with"
                                : fmt::format("\"{}\"", shortened(whole)),
                  found);
  else if (names.size() > 1 && says_inclusive(column->name))
    found.remarks.push_back(
        fmt::format("\"{}\" is inclusive, but no name says which regions lie inside of others: all "
                    "are added up; --region uses some alone",
                    shortened(column->name)));
  return found;
}

}  // namespace huddle::forecast
