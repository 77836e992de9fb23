#pragma once

// What-ifs: a run replayed with computation that is faster or slower somewhere, and the time and
// energy that it would take.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "aggregator/waitstates/energy/power_states.hpp"
#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/rank_set.hpp"

namespace huddle::waitstates {

/// A change of what is computed somewhere.
struct Change {
  /// Whose: call paths that have a region of this name in them, with * for any characters and ? for
  /// one. "*" is all computation.
  std::string regions = "*";
  /// Which ranks'; absent: all.
  std::optional<RankSet> ranks;
  /// Either a frequency that a power state has, or a factor of the computing time.
  std::optional<Hertz> frequency;
  double stretch = 1;  ///< at the first state's power
  /// Share of the computing time that does not depend on the frequency, 0 to 1: waiting for memory.
  double memory_share = 0;
  friend bool operator==(const Change&, const Change&) = default;
};

/// "What if...": of several changes that apply to a computation, the last one counts.
struct WhatIf {
  std::string text;  ///< as it was given
  std::vector<Change> changes;
  /// Each rank at the lowest frequency that its slack allows ("slack"); no changes then.
  bool by_slack = false;
};

/// What a text may be, for help and for errors.
inline constexpr std::string_view kWhatIfGrammar =
    "\"slack\", or REGIONS[RANKS]@FREQUENCY[,memory=SHARE%], several parted by \";\": "
    "\"solve*@1.2GHz\", \"*[0-3,8]@1.2GHz,memory=30%\", \"halo?@x1.5\" (x: so many times as long)";

/// Reads such a text. Throws UsageError with what is wrong and what was expected.
WhatIf parse_what_if(std::string_view text);

/// A rank's time in a replay, in ticks; together what the run takes.
struct ReplayedRank {
  std::uint64_t computation = 0;
  std::uint64_t transfer = 0;  ///< in MPI without waiting
  std::uint64_t waiting = 0;
  std::uint64_t outside = 0;  ///< before its begin and behind its end
  std::uint64_t set_up = 0;   ///< in MPI_Init and MPI_Finalize, however it was spent there
  friend bool operator==(const ReplayedRank&, const ReplayedRank&) = default;
};

/// Of the cores that ranks' first threads run on. Whole nanojoules.
struct ReplayedEnergy {
  std::int64_t busy_nj = 0;  ///< waiting as MPI libraries do: at the power of computing
  std::int64_t idle_nj = 0;  ///< waiting with the core idle: an oracle
  friend bool operator==(const ReplayedEnergy&, const ReplayedEnergy&) = default;
};

struct WhatIfOutcome {
  std::uint64_t run_time = 0;
  /// Of it, what the rank that ends last spent in MPI_Init and MPI_Finalize.
  std::uint64_t set_up = 0;
  std::vector<ReplayedRank> ranks;
  /// Computation at the active power of the state that its clock is set to; a change of the state
  /// costs its transition's energy (and time). Transfers take as long as they did, and the power of
  /// the first state: what they would save at a lower clock, and how much longer they would take,
  /// is not known. MPI_Init and MPI_Finalize are not in it.
  ReplayedEnergy energy;
  /// By rank, only with by_slack: what its cores would be set to; an index of the power states.
  std::vector<std::uint32_t> states;
};

struct WhatIfReport {
  WhatIf request;
  std::uint64_t measured_run_time = 0;  ///< ticks, by the trace
  WhatIfOutcome unchanged;              ///< the replay with nothing changed, to check it
  WhatIfOutcome changed;
  /// How much computation the changes applied to: ticks, as measured. 0: no call path fits.
  std::uint64_t touched = 0;
  /// Dependencies that were ignored because activities waited for each other in a circle.
  std::uint64_t circles = 0;
};

/// The frequency of a power state's cores: its own, or its name read as a frequency ("1900 MHz").
std::optional<Hertz> frequency_of(const PowerState& state);

/// Replays the log with changed computation: messages and collectives take, after the last that
/// they wait for has come, as long as they did. `slack`: for by_slack; may be nullptr otherwise.
/// Throws UsageError where a change needs frequencies and the power states have none, or not that
/// one, and SystemError.
WhatIfReport what_if(const ActivityLog& log, const WhatIf& request, const PowerStates& power,
                     const SlackReport* slack);

}  // namespace huddle::waitstates
