#pragma once

// True if a configuration that was chosen for a group of phases keeps what it promised.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::runtime {

/// Compares the passes of each group of phases with how long they took as the program was started.
/// A group that turns out slower goes back for good. Its reference never changes once it acts, so
/// that it can't ratchet up. Not safe for concurrent use.
class PassGuard {
 public:
  /// As many passes of a group are measured before it is acted on, at most.
  static constexpr std::size_t kMostSamples = 6;
  static constexpr std::size_t kMostGroups = 4096;
  /// A group goes back at this many bad passes among its last eight.
  static constexpr int kBadPasses = 3;

  /// `bound`: by what share a pass may take longer than its reference; 0.03 is 3 %. At least 0.
  explicit PassGuard(double bound) : bound_(bound) {}

  /// A pass of `group` as the program was started. Ignored once there are kMostSamples of them, and
  /// if it is not above 0.
  void measured(std::uint64_t group, Seconds time);
  /// True once there are as many passes of it: then it may be acted on.
  [[nodiscard]] bool is_known(std::uint64_t group) const;
  /// True where another group can be measured, or it is one of those that are.
  [[nodiscard]] bool has_room_for(std::uint64_t group) const {
    return groups_.size() < kMostGroups || groups_.contains(group);
  }
  /// The median of what was measured; nothing if nothing was.
  [[nodiscard]] std::optional<Seconds> reference(std::uint64_t group) const;

  /// A pass of `group` that was acted on. Whether the group may go on so: false from its third bad
  /// pass of eight on, for good, and where there is no reference.
  bool acted_on(std::uint64_t group, Seconds time);
  /// True if it went back.
  [[nodiscard]] bool is_back(std::uint64_t group) const;

 private:
  struct Group {
    std::vector<double> samples;
    std::uint8_t bad = 0;  // of the last eight passes, the newest in the lowest bit
    bool back = false;
  };
  double bound_;
  std::unordered_map<std::uint64_t, Group> groups_;
};

}  // namespace huddle::runtime
