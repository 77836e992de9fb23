#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/keeper/protocol/keeper_client.hpp"
#include "profiles/recorder/balance/balance_driver.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::recorder {

/// Asks the keeper of the step for the clocks of the cores that this rank may run on, all alike.
/// One thread.
class KeeperDesk final : public ClockDesk {
 public:
  /// Throws Error, with the keeper's reason if it refuses.
  KeeperDesk(const std::filesystem::path& socket, const PuSet& own,
             std::chrono::milliseconds patience = std::chrono::seconds(1));

  /// Those that all of the rank's clocks can have.
  [[nodiscard]] ClockSteps steps() const;

  void ask(Hertz clock, Seconds lease) noexcept override;
  [[nodiscard]] Hertz achieved(std::uint64_t begin_ns, std::uint64_t now_ns) noexcept override;
  [[nodiscard]] bool alive() const noexcept override { return client_.alive(); }

 private:
  struct Known {
    double khz = 0;
    std::uint64_t changed_at_ns = 0;
  };

  KeeperClient client_;
  /// By clock: what it was before its last change, and when that was.
  std::vector<Known> before_;
  std::vector<Known> last_;
};

}  // namespace huddle::recorder
