#pragma once

#include <cstdint>
#include <utility>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/keeper/protocol/own_clocks.hpp"
#include "profiles/recorder/balance/balance_driver.hpp"

namespace huddle::recorder {

/// Asks the keeper of the step for the clocks of the cores that this rank may run on.
class KeeperDesk final : public ClockDesk {
 public:
  explicit KeeperDesk(OwnClocks clocks) : clocks_(std::move(clocks)) {}

  [[nodiscard]] ClockSteps steps() const { return ClockSteps(clocks_.steps()); }

  void ask(Hertz clock, Seconds lease) noexcept override { clocks_.ask(clock, lease); }
  [[nodiscard]] Hertz achieved(std::uint64_t begin_ns, std::uint64_t now_ns) noexcept override {
    return clocks_.achieved(begin_ns, now_ns);
  }
  [[nodiscard]] bool alive() const noexcept override { return clocks_.alive(); }

 private:
  OwnClocks clocks_;
};

}  // namespace huddle::recorder
