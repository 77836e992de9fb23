#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/formats/machine/machine_words.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// What one size of message, or one size of contribution to a collective, takes.
struct TimeOfSize {
  Bytes bytes;
  /// Above 0.
  Seconds time;
  Origin origin = Origin::kAssumed;

  friend bool operator==(const TimeOfSize&, const TimeOfSize&) = default;
};

/// One-way times of messages between two ranks at one distance while pairs of ranks exchange such
/// messages at the same time: inside one node at that distance, or, over the network, between the
/// same two nodes. Which cores of those that are at that distance the pairs use makes no difference
/// here (task aggregation, section V: symmetric placements).
struct MessageTimes {
  Distance distance = Distance::kDie;
  /// With the one that is timed: 1 is a pair alone.
  std::uint32_t pairs = 1;
  /// One or more, ascending by bytes, none twice.
  std::vector<TimeOfSize> times;

  friend bool operator==(const MessageTimes&, const MessageTimes&) = default;
};

/// Times of one call of a collective operation over ranks that are placed with one pattern.
struct CollectiveTimes {
  /// The MPI function without MPI_, in lower case: "allreduce".
  std::string operation;
  /// "2:1:2": packages, dies, cores.
  std::string pattern;
  /// 2 or more; as many nodes take part as the pattern needs for them.
  std::uint32_t ranks = 2;
  /// By what a rank contributes to a call, in the meaning that the profile document has for it; in
  /// a broadcast or scatter what the root contributes. One or more, ascending, none twice.
  std::vector<TimeOfSize> times;

  friend bool operator==(const CollectiveTimes&, const CollectiveTimes&) = default;
};

/// What memory delivers to ranks that stream at once (triad: two arrays read, one written), all in
/// one die, in one package spread over its dies, or in one node spread over its packages.
struct MemoryStream {
  /// kDie, kPackage or kNode.
  Distance within = Distance::kDie;
  std::uint32_t ranks = 1;
  /// To all of them together.
  BytesPerSecond bandwidth;
  Origin origin = Origin::kAssumed;

  friend bool operator==(const MemoryStream&, const MemoryStream&) = default;
};

}  // namespace huddle
