#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/frequency/frequency_control.hpp"

namespace huddle::clocks {

/// A watcher that runs on this node.
struct RunningWatcher {
  std::uint32_t pid = 0;
  /// "17.0", as it was started with.
  std::string step;
};

/// The watchers among all processes, found by their name, their argument, and that they are this
/// user's and in this process's namespace of processes. `proc` is for tests.
std::vector<RunningWatcher> running_watchers(const std::filesystem::path& proc = "/proc");

/// Ends them, which puts back the clocks of their steps; waits until they have ended, at most
/// `patience`. Returns how many have.
std::size_t end_watchers(const std::vector<RunningWatcher>& watchers,
                         std::chrono::milliseconds patience = std::chrono::seconds(3));

/// The state of a node beside its clocks, for show.
struct NodeState {
  std::string switched_off;
  bool slurmd_marked = false;
  std::vector<RunningWatcher> watchers;
};

/// The JSON document that `huddle clocks show --json` prints: each clock with its limits, what it
/// will be put back to, and the steps it is limited for, where the journal can be read.
std::string clocks_document(const frequency::CpufreqFiles& files,
                            const frequency::FrequencyControl::Settings& settings,
                            const NodeState& node);

enum class Restore : std::uint8_t {
  kJournal,  ///< what the journal knows Huddle has limited
  kAll,      ///< also every other clock that is limited, to what its hardware can do
};

/// Puts clocks back whatever runs, and returns the JSON document that `huddle clocks restore
/// --json` prints: each clock that was limited, before and afterwards, and what could not be done.
/// `end_steps` ends the watchers, and returns how many.
std::string restore_clocks(frequency::CpufreqFiles& files,
                           const frequency::FrequencyControl::Settings& settings, Restore which,
                           const std::function<std::size_t()>& end_steps);

}  // namespace huddle::clocks
