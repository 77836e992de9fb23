#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aggregator/waitstates/replay/flat_map.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// Barriers of OpenMP teams: the n-th that a thread comes to in a team is the same for all its
/// threads. All threads of a process are replayed together, so this needs no other process.
/// Times are the trace's own: threads of a process share a clock.
class TeamBarriers {
 public:
  using Wake = std::function<void(std::uint32_t location)>;

  /// `definitions` lives longer than this. `wake` is told who may go on.
  TeamBarriers(const TraceDefinitions& definitions, Wake wake)
      : definitions_(definitions), teams_(definitions.teams), wake_(std::move(wake)) {}

  /// Whether the trace defines the team, as one of threads of one rank, `location` among them.
  [[nodiscard]] bool has(std::uint32_t team, std::uint32_t location) const;

  /// `location` comes to its next barrier of `team`: returns its number.
  std::uint64_t arrive(std::uint32_t team, std::uint32_t location, std::uint64_t time);

  /// When the last one came; null if not all have.
  [[nodiscard]] const std::uint64_t* complete(std::uint32_t team, std::uint64_t number);

  /// `location` is done with it.
  void leave(std::uint32_t team, std::uint64_t number);

  /// Whether one of those that have not come is among the ended locations.
  [[nodiscard]] bool hopeless(std::uint32_t team, std::uint64_t number,
                              const std::vector<bool>& ended_locations);

 private:
  struct Barrier {
    std::uint32_t came = 0;
    std::uint32_t left = 0;
    std::uint64_t latest = 0;
  };
  const TraceDefinitions& definitions_;
  const std::vector<std::vector<std::uint32_t>>& teams_;
  Wake wake_;
  FlatMap<std::uint64_t> next_;  // by team, location
  FlatMap<Barrier> barriers_;    // by team, number
};

}  // namespace huddle
