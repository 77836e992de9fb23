#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::recommend {

/// The memory that ranks need: each what it took at most in the measured run, wherever it was, with
/// a margin for what differs between runs, and never less than what was asked for. A rank whose
/// peak is unknown counts as much as the largest that is known.
class MemoryNeed {
 public:
  /// `least`: what each rank was asked to have. `margin`: 0.1 adds 10 % to what was measured.
  explicit MemoryNeed(const Profile& profile, Bytes least = {}, double margin = 0);

  /// The most that the ranks of one node need; `core_of`: by rank, nodes of `cores_per_node` cores
  /// one after the other. 0 if no rank's peak is known
  /// and nothing was asked for.
  [[nodiscard]] Bytes fullest_node(const std::vector<std::uint32_t>& core_of,
                                   std::uint32_t cores_per_node) const;
  /// Gaps in it, one sentence for people; nothing if everything is.
  [[nodiscard]] std::optional<std::string> note() const;

 private:
  std::vector<Bytes> by_rank_;
  std::uint32_t unknown_ = 0;
};

}  // namespace huddle::recommend
