#pragma once

// How references of OTF2 follow from the indices of a trace's definitions when several processes
// write one archive.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/traces/detail/mpi_functions.hpp"
#include "profiles/traces/trace.hpp"
#include "profiles/traces/write/trace_writer.hpp"

namespace huddle::traces {

/// How OTF2's references follow from indices in TraceDefinitions, so that processes that write one
/// archive need not communicate. Regions, communicators and windows: their index. Teams: behind the
/// communicators.
inline constexpr std::uint32_t kMpiLocationsGroup = 0;
inline constexpr std::uint32_t kSelfGroup = 1;
inline constexpr std::uint32_t kFirstGroup = 2;  ///< TraceDefinitions::groups from here on

/// As Score-P numbers them, and so name the files.
constexpr std::uint64_t location_reference(const TraceLocation& location) {
  return std::uint64_t{location.thread} << 32U | location.rank;
}

/// Maps ranks to their places in a list. Takes memory only if the list is not
/// 0, 1, 2, ...
class RankLookup {
 public:
  explicit RankLookup(std::span<const std::uint32_t> ranks);
  /// An empty optional if it is not in the list.
  [[nodiscard]] std::optional<std::uint32_t> place_of(std::uint32_t rank) const;

 private:
  std::uint32_t in_order_ = 0;                                   // this many from 0 on
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // by rank
};

/// A communicator as one of its members sees it.
class CommunicatorView {
 public:
  CommunicatorView(const TraceCommunicator& communicator, std::uint32_t own_rank);
  /// The rank within the communicator that messages to and from `rank` name: of an
  /// intercommunicator in the other side. An empty optional if it is not in there.
  [[nodiscard]] std::optional<std::uint32_t> peer(std::uint32_t rank) const;
  /// The root of a collective as OTF2 has it; kNobody if there is none.
  [[nodiscard]] std::optional<std::uint32_t> root(std::uint32_t rank, bool rooted) const;

 private:
  std::uint32_t own_rank_;
  bool self_;
  bool between_;  // two groups
  RankLookup own_side_;
  RankLookup other_side_;
};

/// The tables that all locations of a part share. Not thread-safe.
class PartTables {
 public:
  PartTables(TraceDefinitions own, TraceNumbers numbers);

  [[nodiscard]] const TraceDefinitions& own() const { return own_; }

  // The archive's reference for an index in own(). Throw Error if there is none.
  [[nodiscard]] std::uint32_t region(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t communicator(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t window(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t group(std::uint32_t index) const;
  [[nodiscard]] std::uint32_t team(std::uint32_t index) const;

  /// An OTF2_CollectiveOp: the operation of a region whose members wait like that.
  [[nodiscard]] std::uint8_t operation(std::uint32_t region, Collective waiting) const;
  [[nodiscard]] OneSidedAccess access(std::uint32_t region) const;
  /// By index, as `rank` sees it.
  const CommunicatorView& view(std::uint32_t communicator, std::uint32_t rank);

 private:
  static constexpr std::size_t kCollectives = static_cast<std::size_t>(Collective::kOther) + 1;

  TraceDefinitions own_;
  TraceNumbers numbers_;
  std::vector<std::array<std::uint8_t, kCollectives>> operations_;  // by region
  std::vector<OneSidedAccess> accesses_;
  std::unordered_map<std::uint64_t, CommunicatorView> views_;  // by communicator and rank
};

}  // namespace huddle::traces
