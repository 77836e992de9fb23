#pragma once

#include <span>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balancing {

/// The clocks that a core can be set to. At least one; immutable.
class ClockSteps {
 public:
  /// In any order, each above 0; those that come twice count once. Throws Error if there is none,
  /// or one that is not above 0 or not finite.
  explicit ClockSteps(std::vector<Hertz> clocks);

  [[nodiscard]] Hertz least() const { return ascending_.front(); }
  [[nodiscard]] Hertz most() const { return ascending_.back(); }
  /// most() over least(): the imbalance that clocks alone can level out.
  [[nodiscard]] double range() const { return most() / least(); }
  [[nodiscard]] std::span<const Hertz> ascending() const { return ascending_; }
  /// The lowest step that is not below `clock`, but for rounding; most() if all are below.
  [[nodiscard]] Hertz at_least(Hertz clock) const;

 private:
  std::vector<Hertz> ascending_;
};

}  // namespace huddle::balancing
