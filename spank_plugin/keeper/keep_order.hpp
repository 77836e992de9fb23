#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/processes/process_identity.hpp"
#include "spank_plugin/frequency/frequency_reconciler.hpp"

namespace huddle::keeper {

/// The first order that slurmstepd gives the keeper of its step, on the keeper's standard input:
/// whose it is.
struct KeepOrder {
  std::uint32_t job = 0;
  /// Slurm's number of the step.
  std::uint32_t step = 0;
  processes::ProcessIdentity slurmstepd;
  /// The step's: nobody else is served.
  uid_t user = 0;
  /// The name of the user that the keeper becomes.
  std::string keeper_user;
  /// Where ranks find it.
  std::string socket;

  friend bool operator==(const KeepOrder&, const KeepOrder&) = default;
};

/// The order once the step's claim is in the journal: from then on the keeper may write.
struct EnvelopeOrder {
  /// The step's: without it there is no keeper.
  processes::ProcessIdentity watcher;
  /// Not empty.
  std::vector<frequency::MovedClock> clocks;

  friend bool operator==(const EnvelopeOrder&, const EnvelopeOrder&) = default;
};

/// Lines, the last of which is "end". Precondition: no line's end in the names.
std::string text_of(const KeepOrder& order);
std::string text_of(const EnvelopeOrder& order);

/// Reads that form. Throws Error.
KeepOrder parse_keep_order(std::string_view text);
/// Reads that form. Throws Error.
EnvelopeOrder parse_envelope_order(std::string_view text);

}  // namespace huddle::keeper
