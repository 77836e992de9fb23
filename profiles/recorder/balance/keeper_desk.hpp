#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/keeper/protocol/own_clocks.hpp"
#include "profiles/recorder/balance/balance_driver.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::recorder {

/// Asks the keeper of the step for the clocks of the cores that this rank may run on.
class KeeperDesk final : public ClockDesk {
 public:
  /// The clocks of `own`, as the keeper at `socket` has them. Throws SystemError or Error, with the
  /// keeper's reason if it refuses.
  KeeperDesk(std::filesystem::path socket, const PuSet& own)
      : clocks_(socket, own), socket_(std::move(socket)) {}

  [[nodiscard]] ClockSteps steps() const { return ClockSteps(clocks_.steps()); }

  void ask(Hertz clock, Seconds lease) noexcept override {
    clocks_.ask(clock, lease);
    asked_ = clock;
    lease_ = lease;
  }
  [[nodiscard]] Hertz achieved(std::uint64_t begin_ns, std::uint64_t now_ns) noexcept override {
    return clocks_.achieved(begin_ns, now_ns);
  }
  [[nodiscard]] bool alive() const noexcept override { return !lost_ && clocks_.alive(); }

  /// The PUs that share the rank's only clock; empty if it has several.
  [[nodiscard]] PuSet pus_of_clock() const { return clocks_.pus_of_clock(); }

  /// Binds this process, which is bound to `from`, to `to`, and asks for that place's clock what it
  /// asked for last. False, and nothing has changed, if the system refuses; and, unless it goes
  /// `home`, if the keeper refuses or the clocks differ: at home it then is no longer alive(), and
  /// asks for the top. Waits for the keeper, a millisecond at the usual, kPatience at most.
  bool go(const PuSet& from, const PuSet& to, bool home);

 private:
  static constexpr std::chrono::milliseconds kPatience{50};

  OwnClocks clocks_;
  std::filesystem::path socket_;
  Hertz asked_;
  Seconds lease_;
  bool lost_ = false;  // is where clocks_ is not
};

}  // namespace huddle::recorder
