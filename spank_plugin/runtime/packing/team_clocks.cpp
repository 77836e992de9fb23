#include "spank_plugin/runtime/packing/team_clocks.hpp"

#include <algorithm>
#include <utility>

namespace huddle::runtime {

TeamClocks::TeamClocks(const std::vector<PuSet>& clocks, const PuSet& home, std::uint64_t patience,
                       Ask ask)
    : patience_(patience), ask_(std::move(ask)) {
  for (std::size_t number = 0; number < clocks.size(); ++number) {
    const std::vector<std::uint32_t>& pus = clocks[number].members();
    const bool own = !pus.empty() &&
                     std::ranges::all_of(pus, [&](std::uint32_t pu) { return home.contains(pu); });
    if (own) clocks_.push_back({number, clocks[number]});
  }
}

void TeamClocks::moves_to(const std::vector<std::uint32_t>& pus, std::uint64_t now) {
  waiting_ = 0;
  for (Clock& clock : clocks_) {
    const bool used = pus.empty() || std::ranges::any_of(pus, [&](std::uint32_t pu) {
                        return clock.pus.contains(pu);
                      });
    if (used) {
      if (clock.low) ask_(clock.number, khz_, lease_);
      clock.low = clock.empty = false;
      continue;
    }
    if (!clock.empty) clock.empty_since = now;
    clock.empty = true;
    if (!clock.low) ++waiting_;
  }
}

void TeamClocks::lower(std::uint64_t now) {
  for (Clock& clock : clocks_) {
    if (!clock.empty || clock.low || now - clock.empty_since < patience_) continue;
    ask_(clock.number, std::nullopt, 0);
    clock.low = true;
    ++lowered_;
    --waiting_;
  }
}

void TeamClocks::change_to(std::uint32_t khz, std::uint64_t lease) {
  if (khz > 0 && khz != khz_ && has_any()) ++slowed_;
  khz_ = khz;
  lease_ = khz > 0 ? lease : 0;
  for (const Clock& clock : clocks_)
    if (!clock.low) ask_(clock.number, khz_, lease_);
}

void TeamClocks::end() {
  moves_to({}, 0);
  run_at(0, 0);
}

}  // namespace huddle::runtime
