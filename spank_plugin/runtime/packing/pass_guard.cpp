#include "spank_plugin/runtime/packing/pass_guard.hpp"

#include <algorithm>
#include <bit>

namespace huddle::runtime {

void PassGuard::measured(std::uint64_t group, Seconds time) {
  std::vector<double>& samples = groups_[group].samples;
  if (time.value > 0 && samples.size() < kMostSamples) samples.push_back(time.value);
}

bool PassGuard::is_known(std::uint64_t group) const {
  const auto found = groups_.find(group);
  return found != groups_.end() && found->second.samples.size() >= kMostSamples;
}

std::optional<Seconds> PassGuard::reference(std::uint64_t group) const {
  const auto found = groups_.find(group);
  if (found == groups_.end() || found->second.samples.empty()) return std::nullopt;
  std::vector<double> sorted = found->second.samples;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return Seconds{sorted.size() % 2 == 1 ? sorted[middle]
                                        : (sorted[middle - 1] + sorted[middle]) / 2};
}

bool PassGuard::acted_on(std::uint64_t group, Seconds time) {
  const std::optional<Seconds> usual = reference(group);
  Group& mine = groups_[group];
  // Also a time that is no number is a bad one.
  const bool good = usual && time.value <= usual->value * (1 + bound_);
  mine.bad = static_cast<std::uint8_t>(2U * mine.bad + (good ? 0U : 1U));
  if (!usual || std::popcount(mine.bad) >= kBadPasses) mine.back = true;
  return !mine.back;
}

bool PassGuard::is_back(std::uint64_t group) const {
  const auto found = groups_.find(group);
  return found != groups_.end() && found->second.back;
}

}  // namespace huddle::runtime
