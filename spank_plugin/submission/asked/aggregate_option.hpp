#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::submission {

/// A wish about fewer nodes than the job asks for; absent: it may get them unless its script seems
/// to need all.
enum class NodesWish : std::uint8_t {
  kKeep,   ///< it may not
  kFewer,  ///< it may, whatever its script looks like
};

/// The text of the option `--energy-aggregate[=TEXT]`, or of the variable HUDDLE_ENERGY_AGGREGATE:
///
///     [MODE][,slowdown=3%][,objective=edp][,nodes=keep|fewer][,samples=1][,label=NAME]
///     [,profile=FILE|plan=FILE][,frequency=auto|keep|RANGE][,trace=on|off][,energy=balance|plan]
///     [,threads=auto|pack|keep][,size=N]
///
/// What it does not say is absent or empty. Described for users in docs/man/spank_huddle.8.
struct AggregateOption {
  /// True if the option, or its variable, was used at all.
  bool given = false;
  std::optional<Mode> mode;
  /// The largest slowdown to accept; 0.03 is 3 %.
  std::optional<double> slowdown;
  std::optional<Objective> objective;
  std::optional<NodesWish> nodes;
  /// Number of runs that may be measured before there is a plan, 1 or 2.
  std::optional<std::uint32_t> samples;
  /// The name that runs are known by, instead of the job's.
  std::string label;
  /// The user's own profile, as it was written.
  std::string profile;
  /// The user's own plan, as it was written.
  std::string plan;
  std::optional<FrequencyWish> frequency;
  /// True if a run that is measured on request (mode profile) is traced, too.
  std::optional<bool> trace;
  /// True if clocks are to follow the loads of ranks while it runs (energy=balance).
  std::optional<bool> balance;
  /// True if Huddle may act on the threads of ranks while it runs (threads=auto).
  std::optional<bool> threads;
  /// True if it may bind them to fewer cores, too (threads=pack). Only with `threads`.
  bool packs_threads = false;
  /// The size of the problem that the job solves; above 0.
  std::optional<double> size;

  [[nodiscard]] bool is_off() const { return given && mode == Mode::kOff; }

  /// Returns what is said here, and for what is not, what `defaults` say. A file that is named here
  /// takes the place of both files of `defaults`.
  [[nodiscard]] AggregateOption with_defaults(const AggregateOption& defaults) const;
};

/// Reads the text; an empty one says nothing. `source` is what errors call it, such as
/// "--energy-aggregate". Throws UsageError, with what is allowed, for a word, key or value that
/// there is not, a key that is there twice, and keys that contradict each other.
AggregateOption parse_aggregate_option(std::string_view text, std::string_view source);

}  // namespace huddle::submission
