#include "aggregator/forecast/screening/detail/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostShown = 8;
// Of a name: call paths may be long, and what is compared grows with the square.
constexpr std::size_t kMostCompared = 200;

// How many letters must be put in, taken out or changed to make one of the other (Levenshtein).
std::size_t distance(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The nearest ones first: those that the asked name is a part of, then those with the fewest
// letters to change.
std::vector<std::string> nearest_first(std::vector<std::string> regions, const std::string& asked) {
  const std::string small = in_lower_case(std::string_view(asked).substr(0, kMostCompared));
  std::vector<std::pair<std::size_t, std::string>> by_distance;
  for (std::string& region : regions) {
    const std::string name = in_lower_case(std::string_view(region).substr(0, kMostCompared));
    const bool holds = !small.empty() && name.find(small) != std::string::npos;
    by_distance.emplace_back(holds ? 0 : distance(name, small), std::move(region));
  }
  std::ranges::stable_sort(by_distance, {}, &std::pair<std::size_t, std::string>::first);
  for (std::size_t i = 0; i < regions.size(); ++i) regions[i] = std::move(by_distance[i].second);
  return regions;
}

[[noreturn]] void refuse(const std::vector<std::string>& regions, const std::string& asked) {
  if (regions.empty() || (regions.size() == 1 && regions[0].empty()))
    throw UsageError(fmt::format(
        "region {}: the rows have no regions: leave it out, or say which column holds them",
        shortened(asked)));
  const bool few = regions.size() <= kMostShown;
  std::string names;
  const std::vector<std::string> shown = few ? regions : nearest_first(regions, asked);
  for (std::size_t i = 0; i < std::min(shown.size(), kMostShown); ++i)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", shortened(shown[i]));
  throw UsageError(
      fmt::format("region {}: no row is of this region; {}: {}", shortened(asked),
                  few ? std::string("there are")
                      : fmt::format("of {} regions the nearest by name are", regions.size()),
                  names));
}

}  // namespace

std::vector<bool> asked_regions(const std::vector<std::string>& regions,
                                const std::vector<std::string>& asked) {
  std::vector<bool> wanted(regions.size());
  for (const std::string& name : asked) {
    const auto found = std::ranges::find(regions, name);
    if (found == regions.end()) refuse(regions, name);
    wanted[static_cast<std::size_t>(found - regions.begin())] = true;
  }
  return wanted;
}

}  // namespace huddle
