#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "aggregator/waitstates/criticalpath/delays.hpp"
#include "tests/aggregator/waitstates/found_waits.hpp"

namespace huddle::waitstates {

/// Direct and propagated ticks, by path ("" for no region) and rank.
using FoundCosts = std::map<std::pair<std::string, std::uint32_t>, std::pair<long, long>>;

struct FoundDelays {
  WaitReport report;
  DelayReport delays;

  [[nodiscard]] FoundCosts costs() const;
  [[nodiscard]] std::string text() const;
  /// The sum of all costs.
  [[nodiscard]] double sum() const;
  /// The ticks of all wait states.
  [[nodiscard]] std::uint64_t waited() const;
};

/// With so many threads and events of a turn.
FoundDelays delays_in(traces::Trace& trace, std::size_t threads = 1, std::size_t turn = 1024);

}  // namespace huddle::waitstates
