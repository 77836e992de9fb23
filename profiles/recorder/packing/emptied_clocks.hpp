#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::recorder {

/// The clocks of cores that a rank's team has left for fewer: they are lowered while it is away,
/// and raised before it comes back. Only clocks are touched all of whose PUs are the rank's. One
/// thread.
class EmptiedClocks {
 public:
  /// Asks that the clock of that number be the lowest, or, if not `lowest`, whatever it is without
  /// asking.
  using Ask = std::function<void(std::size_t clock, bool lowest)>;

  /// `clocks`: the PUs that share each; `home`: the rank's; `patience`: how long a clock must have
  /// been left before it is lowered, in ticks, so that regions that alternate change none.
  EmptiedClocks(const std::vector<PuSet>& clocks, const PuSet& home, std::uint64_t patience,
                Ask ask);

  /// The team is about to go to these PUs; none: to all of the rank's.
  void moves_to(const std::vector<std::uint32_t>& pus, std::uint64_t now);
  /// It is where it was: clocks that were left for long enough are lowered.
  void look(std::uint64_t now) {
    if (waiting_ > 0) lower(now);
  }
  /// All of them are raised.
  void end();
  /// How often a clock was lowered.
  [[nodiscard]] std::uint64_t lowered() const { return lowered_; }

 private:
  struct Clock {
    std::size_t number = 0;
    PuSet pus;
    bool empty = false;
    bool low = false;
    std::uint64_t empty_since = 0;
  };

  void lower(std::uint64_t now);

  std::vector<Clock> clocks_;
  std::uint64_t patience_;
  Ask ask_;
  std::size_t waiting_ = 0;  // clocks that are empty and not low yet
  std::uint64_t lowered_ = 0;
};

}  // namespace huddle::recorder
