#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/frequency/cpufreq_policy.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle::frequency {

/// The treatment of a control that nobody claims and somebody else has changed. It is left as it
/// is; that may be for a while only (heat, a step with Slurm's own --cpu-freq), after which it
/// shows again what Huddle wrote, and then it has to be put back.
enum class Changed : std::uint8_t { kRemember, kForget };

/// Brings the controls of a node to what the claims of a journal want: which writes that takes, and
/// doing them. The journal is the caller's to save in between. An upper limit that a keeper moves
/// is written once, with the top of what the claim allows, and then left to it.
class FrequencyReconciler {
 public:
  enum class Scope : std::uint8_t {
    kAll,
    kPutBackOnly,  ///< clocks that are still claimed stay as they are
  };

  /// Reads the policies that `journal` is about; writes nothing yet. `policies` are the PUs of
  /// each; not needed if the journal has no claims. Keeps a reference to `files`.
  FrequencyReconciler(CpufreqFiles& files, const std::map<std::uint32_t, PuSet>& policies,
                      const Journal& journal, Scope scope, Changed changed = Changed::kRemember);

  /// The journal as it must be saved before apply(): with what will be written, and with what was
  /// there before.
  [[nodiscard]] const Journal& journal() const { return journal_; }
  /// True if apply() would write anything for a claim (not: put something back).
  [[nodiscard]] bool sets_something() const { return sets_something_; }

  /// Writes, and reads back until `patience` is over. Afterwards journal() holds what is still to
  /// be put back, and what the kernel made of what was written.
  void apply(std::chrono::milliseconds patience);

  /// The limits that the clocks of claimed policies have now, by policy.
  [[nodiscard]] std::map<std::uint32_t, ClockLimits> claimed_limits() const;

  /// The clocks that keepers move.
  [[nodiscard]] const std::vector<MovedClock>& moved() const { return moved_; }

  /// Lines for people on what could not be set, so far.
  [[nodiscard]] const std::vector<std::string>& not_set() const { return not_set_; }
  /// Lines for people on what could not be put back, so far.
  [[nodiscard]] const std::vector<std::string>& not_put_back() const { return not_put_back_; }

 private:
  struct Write {
    std::uint32_t policy;
    Control control;
    std::string value;
    bool restores;
    bool refused = false;
  };

  void plan_claimed(const CpufreqPolicy& now, const ClockLimits& limits);
  void plan_moved(const CpufreqPolicy& now, const ControlValues& wanted, ControlValues& shown);
  void plan_restored(std::uint32_t policy, Changed changed);
  [[nodiscard]] ControlValues originals_of(std::uint32_t policy) const;
  [[nodiscard]] std::vector<std::string>& failures_of(const Write& write);
  void read_back(const Write& write, std::chrono::steady_clock::time_point deadline);

  CpufreqFiles& files_;
  Journal journal_;
  std::map<std::uint32_t, ControlValues> claimed_;  // what their controls show
  std::vector<Write> writes_;
  std::vector<MovedClock> moved_;
  bool sets_something_ = false;
  std::vector<std::string> not_set_;
  std::vector<std::string> not_put_back_;
};

}  // namespace huddle::frequency
