#include "profiles/recorder/packing/team_clocks.hpp"

#include <algorithm>
#include <utility>

namespace huddle::recorder {

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
      if (clock.low) ask_(clock.number, khz_);
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
    ask_(clock.number, std::nullopt);
    clock.low = true;
    ++lowered_;
    --waiting_;
  }
}

void TeamClocks::change_to(std::uint32_t khz) {
  khz_ = khz;
  for (const Clock& clock : clocks_)
    if (!clock.low) ask_(clock.number, khz);
  if (khz > 0 && has_any()) ++slowed_;
}

void TeamClocks::end() {
  moves_to({}, 0);
  run_at(0);
}

}  // namespace huddle::recorder
