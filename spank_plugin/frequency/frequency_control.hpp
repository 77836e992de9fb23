#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/frequency/frequency_reconciler.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle {

/// What became of frequencies, each in a line for people.
struct FrequencyReport {
  /// Done, but not exactly as it was asked for.
  std::vector<std::string> differences;
  /// Not done, and why.
  std::vector<std::string> failures;
  /// Not put back, and why; may be about somebody else's job.
  std::vector<std::string> not_put_back;
  /// Another process kept the journal locked. Clocks were put back by what the journal says, and it
  /// still holds the claims: release() again later.
  bool journal_was_locked = false;

  /// Whether everything is as it should be and nothing remains to be done.
  [[nodiscard]] bool clean() const {
    return failures.empty() && not_put_back.empty() && !journal_was_locked;
  }
};

/// Limits the clocks of a node's CPUs for the steps that run there, and puts back what was there
/// before. What must be put back is in a journal before the first control is written to, so that
/// the next process can do it if this one is killed. To be used by root; every call opens and
/// locks the journal anew and gives up after a time, so that calls in many processes at once are
/// safe and none hangs.
///
/// Of a journal that is damaged, what can be read still holds; it is kept aside, and clocks that
/// are limited without a readable entry get the hardware's own limits. No upper limit is lowered
/// by a damaged journal.
class FrequencyControl {
 public:
  struct Settings {
    std::filesystem::path journal_directory;
    /// What the site allows; absent: what each clock is limited to without any claim.
    std::optional<ClockLimits> site;
    std::chrono::milliseconds lock_patience{1000};
    /// How long the kernel may take until a control shows what was written: since Linux 5.5 a work
    /// queue sets limits (cpufreq_notifier_max).
    std::chrono::milliseconds effect_patience{5};
    /// Seams for tests.
    std::function<bool(const ProcessIdentity&)> alive = is_alive;
    std::string boot = boot_id();
  };

  /// Keeps a reference to `files`.
  FrequencyControl(CpufreqFiles& files, Settings settings);

  /// Sets the limits of a claim on a step's PUs. `allocated` are all PUs of the job on this node: a
  /// clock that a CPU outside of them shares is left alone. A claim of the same owner that is there
  /// already is replaced. Where the journal can't be written nothing is changed.
  FrequencyReport claim(const Claim& claim, const PuSet& allocated);

  /// Takes back the claims that `which` names, and those of processes that are gone. Clocks that
  /// nobody claims any more get what they had, one control after the other: one that fails does not
  /// stop the rest, and one that somebody else has changed since is left as it is and stays in the
  /// journal, to be put back if it once shows again what Huddle wrote. Does without the journal
  /// where that can be read and not written, and without the lock where another process keeps it.
  FrequencyReport release(const std::function<bool(const Claim&)>& which);

  /// Takes back only the claims of processes that are gone, and forgets what somebody else changed.
  FrequencyReport sweep();

 private:
  FrequencyReport take_back(const std::function<bool(const Claim&)>& which, Changed changed);
  void put_back_unlocked(const std::function<bool(const Claim&)>& which, FrequencyReport& report);

  CpufreqFiles& files_;
  Settings settings_;
};

}  // namespace huddle
