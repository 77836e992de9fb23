#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::runtime {

/// The clocks of a rank's cores. Those that its team has left for fewer are lowered while it is
/// away, and raised before it comes back; the others are as was chosen for its group of phases.
/// Only clocks are touched all of whose PUs are the rank's. One thread.
class TeamClocks {
 public:
  /// Asks that the clock of that number be at most so many kHz: nothing: the lowest; 0: whatever it
  /// is without asking. For so many ticks; 0: until it is asked for something else.
  using Ask =
      std::function<void(std::size_t clock, std::optional<std::uint32_t> khz, std::uint64_t lease)>;

  /// `clocks`: the PUs that share each; `home`: the rank's; `patience`: how long a clock must have
  /// been left before it is lowered, in ticks, so that regions that alternate change none.
  TeamClocks(const std::vector<PuSet>& clocks, const PuSet& home, std::uint64_t patience, Ask ask);

  /// The team is about to go to these PUs; none: to all of the rank's.
  void moves_to(const std::vector<std::uint32_t>& pus, std::uint64_t now);
  /// It is where it was: clocks that were left for long enough are lowered.
  void look(std::uint64_t now) {
    if (waiting_ > 0) lower(now);
  }
  /// Cores that are not empty run at most at so many kHz from now on, for so many ticks; 0: as
  /// without asking.
  void run_at(std::uint32_t khz, std::uint64_t lease) {
    if (khz != 0 || khz_ != 0) change_to(khz, lease);
  }
  /// True if there is any clock that is the rank's alone.
  [[nodiscard]] bool has_any() const { return !clocks_.empty(); }
  /// All of them are as without asking.
  void end();
  /// The number of times that the clock of an empty core was lowered.
  [[nodiscard]] std::uint64_t lowered() const { return lowered_; }
  /// The number of times that run_at() asked for another clock.
  [[nodiscard]] std::uint64_t slowed() const { return slowed_; }

 private:
  struct Clock {
    std::size_t number = 0;
    PuSet pus;
    bool empty = false;
    bool low = false;
    std::uint64_t empty_since = 0;
  };

  void lower(std::uint64_t now);
  void change_to(std::uint32_t khz, std::uint64_t lease);

  std::vector<Clock> clocks_;
  std::uint64_t patience_;
  Ask ask_;
  std::size_t waiting_ = 0;  // clocks that are empty and not low yet
  std::uint64_t lowered_ = 0;
  std::uint32_t khz_ = 0;  // of cores that are not empty
  std::uint64_t lease_ = 0;
  std::uint64_t slowed_ = 0;
};

}  // namespace huddle::runtime
