#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"

namespace huddle::frequency {

/// One entry of HUDDLE_FREQUENCY: what cores of a step shall be limited to.
struct FrequencyRequest {
  /// Ranks `first` to `last`, each on the PUs `pus` of its node.
  struct Ranks {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    PuSet pus;

    friend bool operator==(const Ranks&, const Ranks&) = default;
  };

  /// Absent: all cores of the step.
  std::optional<Ranks> ranks;
  ClockLimits limits;

  friend bool operator==(const FrequencyRequest&, const FrequencyRequest&) = default;
};

/// The most bytes of a variable; Linux takes 128 KiB.
inline constexpr std::size_t kMostFrequencyBytes = std::size_t{100} << 10U;

/// Reads HUDDLE_FREQUENCY: entries parted by ";", each "[RANKS:PUS@]LEAST-MOST", such as
/// "1200000-2400000" (kHz; all cores, and the only entry then) or
/// "0:0-1@1200000-1800000;1-3:2@...". A user may have written it and root reads it: time and memory
/// are bounded by its length, and at most 2^18 PUs are named. Throws Error naming what is wrong.
std::vector<FrequencyRequest> parse_frequency_requests(std::string_view text);

/// The form that parse_frequency_requests reads.
std::string text_of(const std::vector<FrequencyRequest>& requests);

/// Returns the limits that the requests mean for the PUs of one node. `ranks` run there, `cores`
/// are those of the step on it, each with its PUs. A request for one PU of a core is one for the
/// core, since its PUs share a clock; where several meet, the highest holds. PUs that are not the
/// step's are left out.
LimitsByPu requests_on_node(const std::vector<FrequencyRequest>& requests,
                            const std::vector<std::uint32_t>& ranks,
                            const std::vector<PuSet>& cores);

/// HUDDLE_FREQUENCY for a step that runs by a plan: rank r, at `placement[r]`, at `by_rank[r]`,
/// moved into `allowed`. Where all ranks get the same, one entry for the step; else one for each
/// run of ranks that share node and frequency. What would be longer than `most_bytes` becomes one
/// entry with the highest. The arrays have the same size, at least 1.
std::string planned_requests(const std::vector<RankPlace>& placement,
                             const std::vector<Hertz>& by_rank, const ClockLimits& allowed,
                             std::size_t most_bytes);

}  // namespace huddle::frequency
