#pragma once

// The steps that ended on this node.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/hardware/monitoring/sensor_account.hpp"

namespace huddle::energyd {

/// The latest steps that ended. Where there are too many, the oldest one of the user with the most
/// is forgotten: many short steps of one user leave the others' alone. Not thread safe.
class EndedSteps {
 public:
  using Time = power::BootClock::time_point;
  static constexpr std::size_t kMost = 256;
  /// For so long after a step its user counts as one with steps: what asks for the step's energy
  /// comes after its end, and may have to deliver its profile first.
  static constexpr std::chrono::minutes kLately{10};

  void add(AnsweredStep step, Time now);
  [[nodiscard]] bool has(std::uint32_t user) const;
  /// True if a step of the user's ended less than kLately before `now`.
  [[nodiscard]] bool had_lately(std::uint32_t user, Time now) const;
  /// The latest first.
  [[nodiscard]] std::vector<AnsweredStep> steps() const;

 private:
  void forget_one();

  struct Ended {
    AnsweredStep step;
    Time at;
  };
  std::deque<Ended> ended_;  // the latest first
};

}  // namespace huddle::energyd
