#pragma once

// Whether a configuration that was chosen for a group of phases keeps what it promised.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recorder {

/// Compares the passes of each group of phases with how long they took as the program was started.
/// A group that turns out slower goes back for good. Its reference never changes once it acts, so
/// that it can't ratchet up. Not safe for concurrent use.
class PassGuard {
 public:
  /// As many passes of a group are measured before it is acted on, at most.
  static constexpr std::size_t kMostSamples = 6;
  /// A group goes back at this many bad passes among its last eight.
  static constexpr int kBadPasses = 3;

  /// `bound`: by what share a pass may take longer than its reference; 0.03 is 3 %. At least 0.
  explicit PassGuard(double bound) : bound_(bound) {}

  /// A pass of `group` as the program was started. Ignored once there are kMostSamples of them, and
  /// if it is not above 0.
  void measured(std::uint32_t group, Seconds time);
  /// The median of what was measured; nothing if nothing was.
  [[nodiscard]] std::optional<Seconds> reference(std::uint32_t group) const;

  /// A pass of `group` that was acted on. Whether the group may go on so: false from its third bad
  /// pass of eight on, for good, and where there is no reference.
  bool acted_on(std::uint32_t group, Seconds time);
  /// Whether it went back.
  [[nodiscard]] bool is_back(std::uint32_t group) const;

 private:
  struct Group {
    std::vector<double> samples;
    std::uint8_t bad = 0;  // of the last eight passes, the newest in the lowest bit
    bool back = false;
  };
  double bound_;
  std::map<std::uint32_t, Group> groups_;
};

/// Whether a phase is too short for a configuration of its own: less than a million cycles. It then
/// keeps that of the phase before it.
bool keeps_predecessor(Seconds length, Hertz clock);

}  // namespace huddle::recorder
