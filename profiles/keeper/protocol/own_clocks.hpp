#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "profiles/keeper/protocol/keeper_client.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::keeper {

/// The clocks of the PUs that a process or thread may run on, taken as one: asked for together, by
/// the keeper of the step's clocks. Nothing here waits once it is made. One thread.
class OwnClocks {
 public:
  /// Throws SystemError or Error, with the keeper's reason if it refuses.
  OwnClocks(const std::filesystem::path& socket, const PuSet& own,
            std::chrono::milliseconds patience = std::chrono::seconds(1));

  /// Returns the frequencies that all of them can have, in any order: the driver's, or, where it
  /// takes any frequency, 17 from the least to the most.
  [[nodiscard]] std::vector<Hertz> steps() const;
  /// The PUs that share the only clock that this is; empty if it is several.
  [[nodiscard]] PuSet pus_of_clock() const;
  /// At most `clock`, until the next ask, and for `lease` if that is above 0.
  void ask(Hertz clock, Seconds lease) noexcept;
  /// Their mean between two times (CLOCK_MONOTONIC, ns), of which the second is now; 0: not known.
  /// Each call begins where the one before ended, or later.
  [[nodiscard]] Hertz achieved(std::uint64_t begin_ns, std::uint64_t now_ns) noexcept;
  /// True if the keeper is there. One system call.
  [[nodiscard]] bool alive() const noexcept { return client_.alive(); }

 private:
  struct Known {
    double khz = 0;
    std::uint64_t changed_at_ns = 0;
  };

  KeeperClient client_;
  /// The frequency of each clock before its last change, and the time of that.
  std::vector<Known> before_;
  std::vector<Known> last_;
};

}  // namespace huddle::keeper
