#pragma once

// What the times and numbers in a location's events mean: ticks of the trace, indices of
// definitions and ranks.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/traces/read/detail/definitions.hpp"
#include "profiles/traces/read/detail/resolved_trace.hpp"

namespace huddle::otf2 {

/// Converts a location's clock to ticks since the trace's begin, by the offsets in the trace:
/// linear between two of them and beyond the last, as OTF2's own reader does it. Fast for times
/// that mostly rise.
class ClockCorrection {
 public:
  /// `begin` is the trace's, by its own clock. Sorts `offsets`; of equal times the first counts.
  /// None: only `begin` is subtracted.
  explicit ClockCorrection(std::uint64_t begin,
                           std::vector<LocalDefinitions::ClockOffset> offsets = {});

  /// 0 for a time before the begin, and the largest number on overflow.
  std::uint64_t since_begin(std::uint64_t time) {
    if (pieces_.empty() && time >= begin_) return time - begin_;
    return by_offsets(time);
  }
  /// How many of the times were before the begin.
  [[nodiscard]] std::uint64_t before_begin() const { return before_begin_; }

 private:
  struct Piece {
    std::uint64_t begin, end;
    std::int64_t offset;  // at its begin
    double slope;         // ticks for a tick
  };
  std::uint64_t by_offsets(std::uint64_t time);
  std::int64_t offset_at(std::uint64_t time);

  std::uint64_t begin_;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
  std::uint64_t before_begin_ = 0;
};

/// Maps the ids in a location's events to indices of definitions and ranks. Keeps a reference to
/// the trace.
class LocationLookup {
 public:
  LocationLookup(const ResolvedTrace& trace, const LocalDefinitions& local, std::uint32_t rank);

  /// kNobody for what is not defined.
  [[nodiscard]] std::uint32_t region(std::uint64_t id) const { return regions_(id); }
  [[nodiscard]] std::uint32_t communicator(std::uint64_t id) const { return communicators_(id); }
  [[nodiscard]] std::uint32_t team(std::uint64_t id) const { return teams_(id); }
  [[nodiscard]] std::uint32_t window(std::uint64_t id) const { return windows_(id); }
  [[nodiscard]] std::uint32_t group(std::uint64_t id) const { return groups_(id); }
  /// The communicator of an open file.
  [[nodiscard]] std::uint32_t file(std::uint64_t id) const { return files_(id); }
  [[nodiscard]] std::uint32_t context(std::uint64_t id) const { return contexts_(id); }

  /// The rank in the trace that is `member` of a communicator, seen from this location: in an
  /// intercommunicator one of the other side. kNobody if there is none.
  [[nodiscard]] std::uint32_t peer(std::uint32_t communicator, std::uint32_t member);
  /// The same of a collective's root: OTF2 has special numbers there.
  [[nodiscard]] std::uint32_t root(std::uint32_t communicator, std::uint32_t member);

 private:
  class Translation {
   public:
    Translation(const IdTable& all,
                const std::vector<std::pair<std::uint64_t, std::uint64_t>>& mapping);
    std::uint32_t operator()(std::uint64_t id) const {
      if (!own_.empty()) {
        const std::uint32_t index = own_.at(id);
        if (index != traces::kNobody) return index == kMappedToNothing ? traces::kNobody : index;
      }
      return all_->at(id);
    }

   private:
    static constexpr std::uint32_t kMappedToNothing = traces::kNobody - 1;
    const IdTable* all_;
    IdTable own_;
  };

  const traces::TraceDefinitions& definitions_;
  std::uint32_t rank_;
  Translation regions_, communicators_, teams_, windows_, groups_, contexts_, files_;
  std::unordered_map<std::uint32_t, bool> on_remote_side_;  // by intercommunicator
};

}  // namespace huddle::otf2
