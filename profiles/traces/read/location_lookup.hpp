#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/traces/read/local_definitions.hpp"
#include "profiles/traces/read/resolved_trace.hpp"

namespace huddle::otf2 {

/// From the numbers in a location's events to indices of definitions and ranks. Views the trace,
/// which must outlive it.
class LocationLookup {
 public:
  LocationLookup(const ResolvedTrace& trace, const LocalDefinitions& local, std::uint32_t rank);

  /// kNobody for what is not defined.
  [[nodiscard]] std::uint32_t region(std::uint64_t id) const { return regions_(id); }
  [[nodiscard]] std::uint32_t communicator(std::uint64_t id) const { return communicators_(id); }
  [[nodiscard]] std::uint32_t team(std::uint64_t id) const { return teams_(id); }
  [[nodiscard]] std::uint32_t window(std::uint64_t id) const { return windows_(id); }
  [[nodiscard]] std::uint32_t group(std::uint64_t id) const { return groups_(id); }
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
        if (index != kNobody) return index == kMappedToNothing ? kNobody : index;
      }
      return all_->at(id);
    }

   private:
    static constexpr std::uint32_t kMappedToNothing = kNobody - 1;
    const IdTable* all_;
    IdTable own_;
  };

  const TraceDefinitions& definitions_;
  std::uint32_t rank_;
  Translation regions_, communicators_, teams_, windows_, groups_, contexts_;
  std::unordered_map<std::uint32_t, bool> on_remote_side_;  // by intercommunicator
};

}  // namespace huddle::otf2
