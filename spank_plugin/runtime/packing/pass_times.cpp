#include "spank_plugin/runtime/packing/pass_times.hpp"

#include <algorithm>

namespace huddle::runtime {

void PassTimes::add(std::uint64_t ticks) noexcept {
  if (count == 0) shortest = longest = ticks;
  ++count;
  const double more = static_cast<double>(ticks) - mean;
  mean += more / static_cast<double>(count);
  squares += more * (static_cast<double>(ticks) - mean);
  shortest = std::min(shortest, ticks);
  longest = std::max(longest, ticks);
}

void PassTimes::add(const PassTimes& other) noexcept {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const auto mine = static_cast<double>(count);
  const auto others = static_cast<double>(other.count);
  const double apart = other.mean - mean;
  squares += other.squares + apart * apart * mine * others / (mine + others);
  mean += apart * others / (mine + others);
  count += other.count;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
}

TriedTimes& tried_on(std::vector<TriedTimes>& tried, std::uint32_t cores, bool smaller) {
  const auto found = std::ranges::find_if(
      tried, [&](const TriedTimes& one) { return one.cores == cores && one.smaller == smaller; });
  return found != tried.end() ? *found : tried.emplace_back(TriedTimes{cores, {}, {}, smaller});
}

}  // namespace huddle::runtime
