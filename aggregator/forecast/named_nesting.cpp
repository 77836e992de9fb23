#include "aggregator/forecast/named_nesting.hpp"

#include <algorithm>
#include <unordered_map>

namespace huddle {
namespace {

// A sum of callees may be more than the caller by so much, as means of several rows differ, and by
// so much of the largest region, as tiny ones are noisy.
constexpr double kNoise = 0.05;
constexpr double kTiny = 0.02;
constexpr double kMostOfIt = 0.5;

// By region: those that call it.
std::vector<std::vector<std::uint32_t>> callers_of(const CallPaths& paths,
                                                   const std::vector<double>& sums) {
  const std::vector<bool> repeated = repeated_by_paths(paths, sums);
  std::vector<std::vector<std::uint32_t>> callers(paths.caller.size());
  for (std::uint32_t region = 0; region < callers.size(); ++region) {
    if (paths.caller[region])
      callers[region] = {*paths.caller[region]};
    else if (repeated[region])
      for (const std::uint32_t path : paths.ends[region])
        if (*paths.caller[path] != region) callers[region].push_back(*paths.caller[path]);
  }
  return callers;
}

}  // namespace

std::vector<bool> repeated_by_paths(const CallPaths& paths, const std::vector<double>& sums) {
  std::vector<bool> repeated(sums.size());
  for (std::uint32_t region = 0; region < sums.size(); ++region) {
    double of_paths = 0;
    for (const std::uint32_t path : paths.ends[region])
      if (*paths.caller[path] != region) of_paths += sums[path];
    repeated[region] = of_paths > 0 && of_paths >= kMostOfIt * sums[region];
  }
  return repeated;
}

std::vector<std::uint32_t> outermost_by_paths(const CallPaths& paths,
                                              const std::vector<double>& sums) {
  const std::vector<std::vector<std::uint32_t>> callers = callers_of(paths, sums);
  const std::size_t count = callers.size();
  std::vector<std::vector<std::uint32_t>> callees(count);
  for (std::uint32_t region = 0; region < count; ++region)
    for (const std::uint32_t caller : callers[region]) callees[caller].push_back(region);

  std::vector<std::uint32_t> outermost(count, static_cast<std::uint32_t>(count));
  const auto spread_from = [&](std::uint32_t root) {
    std::vector<std::uint32_t> reached = {root};
    outermost[root] = root;
    while (!reached.empty()) {
      const std::uint32_t region = reached.back();
      reached.pop_back();
      for (const std::uint32_t callee : callees[region]) {
        if (outermost[callee] != count) continue;
        outermost[callee] = root;
        reached.push_back(callee);
      }
    }
  };
  std::vector<std::uint32_t> by_sum(count);
  for (std::uint32_t region = 0; region < count; ++region) by_sum[region] = region;
  std::ranges::stable_sort(by_sum, [&](auto a, auto b) { return sums[a] > sums[b]; });
  for (const std::uint32_t region : by_sum)
    if (callers[region].empty()) spread_from(region);
  for (const std::uint32_t region : by_sum)  // what is left calls itself in a circle
    if (outermost[region] == count) spread_from(region);
  return outermost;
}

std::size_t contradicting_configurations(const CallPaths& paths,
                                         const std::vector<std::vector<RegionMean>>& means) {
  const auto contradicts = [&](const std::vector<RegionMean>& configuration) {
    double largest = 0;
    std::unordered_map<std::uint32_t, double> inside;
    for (const RegionMean& region : configuration) {
      largest = std::max(largest, region.mean);
      if (paths.caller[region.region]) inside[*paths.caller[region.region]] += region.mean;
    }
    return std::ranges::any_of(configuration, [&](const RegionMean& region) {
      const auto found = inside.find(region.region);
      return found != inside.end() && found->second > (1 + kNoise) * region.mean + kTiny * largest;
    });
  };
  return static_cast<std::size_t>(std::ranges::count_if(means, contradicts));
}

}  // namespace huddle
