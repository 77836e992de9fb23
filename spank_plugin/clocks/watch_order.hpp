#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle::clocks {

/// The order that slurmstepd gives the watcher of its step, on the watcher's standard input.
struct WatchOrder {
  frequency::Claim claim;
  /// All PUs of the job on this node.
  PuSet allocated;
  /// The limits that the site allows, as in FrequencyControl::Settings.
  std::optional<frequency::ClockLimits> site;
  std::string journal_directory;
  /// The policy that plugstack.conf names; empty: the usual one.
  std::string policy_file;

  friend bool operator==(const WatchOrder&, const WatchOrder&) = default;
};

/// Lines, the last of which is "end".
std::string text_of(const WatchOrder& order);

/// Reads that form. Throws Error.
WatchOrder parse_watch_order(std::string_view text);

}  // namespace huddle::clocks
