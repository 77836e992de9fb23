#include "aggregator/waitstates/replay/detail/location_sums.hpp"

#include <algorithm>

namespace huddle::waitstates {

void LocationSums::add(const Waiting& waiting) {
  std::uint64_t counted = waiting.enter;
  const auto add = [&](WaitPattern pattern) {
    const std::uint64_t until =
        std::min(waiting.until[static_cast<std::size_t>(pattern)], waiting.leave);
    if (until <= counted) return;
    add_piece(pattern, waiting.path, counted, until);
    counted = until;
  };
  // In the place of Late Sender, which it is a kind of.
  add(WaitPattern::kLateSenderWrongOrder);
  for (std::size_t pattern = 0; pattern < kWaitPatterns; ++pattern)
    add(static_cast<WaitPattern>(pattern));
}

void LocationSums::add_piece(WaitPattern pattern, std::uint32_t path, std::uint64_t from,
                             std::uint64_t to) {
  std::uint32_t& known = by_path_[{path, static_cast<std::uint64_t>(pattern)}];
  if (known == 0) {
    waits_.emplace_back();
    waits_.back().pattern = pattern;
    waits_.back().call_path = path;
    known = static_cast<std::uint32_t>(waits_.size());
  }
  PathWaits& sums = waits_[known - 1];
  const std::uint64_t ticks = to - from;
  ++sums.count;
  sums.ticks += ticks;
  sums.longest = std::max(sums.longest, ticks);
  add_energy(sums.energy, from, to);
  spread(from, to, [pattern](TimelineBin& bin) -> std::uint64_t& {
    return bin.waiting[static_cast<std::size_t>(pattern)];
  });
}

void LocationSums::add_energy(WaitEnergy& sums, std::uint64_t from, std::uint64_t to) const {
  if (power_ == nullptr) return cost_.add_to(sums, to - from);
  constexpr double kNanojoules = 1e9;
  const NodePower::Share measured = power_->share(from, to);
  cost_.add_to(sums, to - from,
               measured.joules * kNanojoules + cost_.assumed(to - from - measured.known_ticks));
}

void LocationSums::add_mpi(std::uint64_t from, std::uint64_t to) {
  spread(from, to, [](TimelineBin& bin) -> std::uint64_t& { return bin.mpi; });
}

void LocationSums::add_openmp(std::uint64_t from, std::uint64_t to) {
  spread(from, to, [](TimelineBin& bin) -> std::uint64_t& { return bin.openmp; });
}

template <class Amount>
void LocationSums::spread(std::uint64_t from, std::uint64_t to, Amount amount) {
  if (timeline_.empty()) return;
  std::uint64_t at = std::max(from, axis_.begin);
  while (at < to) {
    const std::uint64_t bin = (at - axis_.begin) / axis_.bin;
    const bool last = bin + 1 >= timeline_.size();
    const std::uint64_t until = last ? to : std::min(to, axis_.begin + (bin + 1) * axis_.bin);
    amount(timeline_[last ? timeline_.size() - 1 : bin]) += until - at;
    at = until;
  }
}

}  // namespace huddle::waitstates
