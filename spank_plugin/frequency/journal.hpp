#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"
#include "spank_plugin/frequency/cpufreq_policy.hpp"

namespace huddle::frequency {

/// A step's claim: the limits that it wants for the cores that it has on this node.
struct Claim {
  std::uint32_t job = 0;
  /// Slurm's number of the step.
  std::uint32_t step = 0;
  /// True if it is the step of the job's script or shell: it has all cores of the job here, and its
  /// claim gives way to those of the job's other steps.
  bool whole_job = false;
  /// The slurmstepd: once that is gone the claim holds no more.
  processes::ProcessIdentity owner;
  /// Never empty in a journal.
  LimitsByPu limits;
  /// The process that moves the upper limits of these PUs within `limits` while the step runs, if
  /// there is one. The claim is withdrawn only once that has ended.
  std::optional<processes::ProcessIdentity> keeper = {};

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// A control of a policy that Huddle has written to.
struct SavedControl {
  std::uint32_t policy = 0;
  Control control = Control::kMost;

  friend auto operator<=>(const SavedControl&, const SavedControl&) = default;
};

struct SavedValue {
  /// The value before Huddle's; it is put back in the end.
  std::string original;
  /// The value that we wrote, or what the kernel made of it.
  std::string written;
  /// An upper limit only: the least that a keeper may have written instead, in kHz and below
  /// `written`; empty if there was none.
  std::string lowest = {};

  /// True if Huddle may have written this value.
  [[nodiscard]] bool may_have_written(std::string_view value) const;

  friend bool operator==(const SavedValue&, const SavedValue&) = default;
};

/// The entries that must survive the process that changes frequencies. A text file, read by root
/// only, a line for each entry:
///
///     huddle frequency journal 1
///     boot 5f0c...                                     (the kernel's boot_id)
///     control 3 scaling_max_freq 3000000 1800000       (policy, file, original, written)
///     claim 17 0 step 4711 890123 0-3@1200000-1800000  (job, step, step|job, pid, start, limits)
///     end
///
/// Where a keeper moves a clock there is more on these lines, the least that it writes, and its pid
/// and start:
///
///     control 4 scaling_max_freq 3000000 2400000 1200000
///     claim 18 0 step 4720 890200 4-5@1200000-2400000 keeper 4725 890207
struct Journal {
  std::string boot;
  std::map<SavedControl, SavedValue> controls;
  std::vector<Claim> claims;

  [[nodiscard]] bool empty() const { return controls.empty() && claims.empty(); }

  friend bool operator==(const Journal&, const Journal&) = default;
};

/// The most bytes of a journal: for every CPU of a large node, and some steps on each.
inline constexpr std::uint64_t kMostJournalBytes = std::uint64_t{4} << 20U;

std::string text_of(const Journal& journal);

/// Throws FormatError for whatever we would not have written ourselves, so that no garbage is ever
/// applied: an unknown word, a file that is not a control's, a value that it can't have, a control
/// twice, a missing end.
Journal parse_journal(std::string_view text, std::string_view file);

/// Returns the part that can still be read of a journal that parse_journal() refuses: each line
/// that it would take, of controls and claims that come twice the first one. Without a readable
/// boot line, `boot` stands for it. Throws nothing but std::bad_alloc.
Journal readable_part_of(std::string_view text, const std::string& boot);

/// Returns the limits that the claims want of one clock that `pus` share; nothing if none of them
/// is claimed. On a PU the claims of a job's numbered steps come before that of its script or
/// shell; among several claims that are left, and among the PUs, the highest holds.
std::optional<ClockLimits> wanted_limits(const std::vector<Claim>& claims, const PuSet& pus);

/// True if a keeper moves the clock that `pus` share, for one of the claims that hold there.
bool is_moved(const std::vector<Claim>& claims, const PuSet& pus);

/// A clock whose upper limit a keeper moves.
struct MovedClock {
  std::uint32_t policy = 0;
  /// Those that share it.
  PuSet pus;
  /// Limits that the upper limit stays within, as written to the controls.
  ClockLimits limits;

  friend bool operator==(const MovedClock&, const MovedClock&) = default;
};

/// The PUs of each policy, by cpufreq's number of it.
using PusByPolicy = std::map<std::uint32_t, PuSet>;

/// True if the claim is about any of these PUs.
bool any_claimed(const Claim& claim, const PuSet& pus);

/// Returns those of the clocks that keepers move that the claim has and no other step claims, with
/// the claim's own PUs. The claim of a job's script counts as none beside that of one of its steps.
std::vector<MovedClock> moved_for(const Claim& claim, const std::vector<Claim>& others,
                                  std::vector<MovedClock> clocks);

/// Lines for people: where PUs run at other limits than were asked for. What a claim with a keeper
/// asks for is the upper one. Precondition: `policies` has the policies of `limits`.
std::vector<std::string> differences(const PusByPolicy& policies,
                                     const std::map<std::uint32_t, ClockLimits>& limits,
                                     const Claim& asked);

}  // namespace huddle::frequency
