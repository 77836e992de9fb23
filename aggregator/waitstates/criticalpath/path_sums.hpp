#pragma once

// Internal to critical paths and slack.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace huddle {

/// Something for each pair of a call path and a rank that there is. One thread's.
template <class Sums>
class PathSums {
 public:
  Sums& at(std::uint32_t call_path, std::uint32_t rank) {
    return sums_[std::uint64_t{call_path} << 32U | rank];
  }

  /// Calls use(call path, rank, sums) for each, by call path, rank.
  template <class Use>
  void each(const Use& use) const {
    std::vector<std::pair<std::uint64_t, const Sums*>> sorted;
    sorted.reserve(sums_.size());
    for (const auto& [key, sums] : sums_) sorted.emplace_back(key, &sums);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, sums] : sorted)
      use(static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key), *sums);
  }

 private:
  std::unordered_map<std::uint64_t, Sums> sums_;
};

}  // namespace huddle
