#pragma once

#include <cstdint>
#include <optional>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::efficiency {

/// Two ranks that exchanged as many bytes as no other two: messages, neighbourhood collectives and
/// one-sided calls, both ways together.
struct BusiestPair {
  /// The lower and the higher one; of pairs with as many bytes those with the lowest ranks.
  Rank low;
  Rank high;
  Bytes bytes;
  /// The bytes of all pairs together, and how many pairs have 99 % of `bytes` or more, this one
  /// included.
  Bytes all;
  std::uint64_t as_busy = 0;
};

/// Nothing if no rank sent another one a byte.
std::optional<BusiestPair> busiest_pair_of(const Profile& profile);

}  // namespace huddle::efficiency
