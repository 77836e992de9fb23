#pragma once

#include <cstdint>
#include <filesystem>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/keeper/protocol/own_clocks.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/runtime/balance/balance_driver.hpp"

namespace huddle::runtime {

/// Asks the keeper of the step for the clocks of the cores that this rank may run on.
class KeeperConnection final : public ClockActuator {
 public:
  /// The clocks of `own`, as the keeper at `socket` has them. Throws SystemError or Error, with the
  /// keeper's reason if it refuses.
  KeeperConnection(const std::filesystem::path& socket, const PuSet& own) : clocks_(socket, own) {}

  [[nodiscard]] balancing::ClockSteps steps() const {
    return balancing::ClockSteps(clocks_.steps());
  }

  void ask(Hertz clock, Seconds lease) noexcept override { clocks_.ask(clock, lease); }
  [[nodiscard]] Hertz achieved(std::uint64_t begin_ns, std::uint64_t now_ns) noexcept override {
    return clocks_.achieved(begin_ns, now_ns);
  }
  [[nodiscard]] bool alive() const noexcept override { return clocks_.alive(); }

  /// The PUs that share the rank's only clock; empty if it has several.
  [[nodiscard]] PuSet pus_of_clock() const { return clocks_.pus_of_clock(); }

 private:
  keeper::OwnClocks clocks_;
};

}  // namespace huddle::runtime
