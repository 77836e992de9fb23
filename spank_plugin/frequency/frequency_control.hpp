#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/processes/end_process.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/cpufreq_files.hpp"
#include "spank_plugin/frequency/frequency_reconciler.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle::frequency {

/// Lines for people on what was and was not done to frequencies.
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
  /// The clocks that the keeper of a claim may move, with the claim's own PUs. Those that other
  /// steps claim as well are not among them.
  std::vector<MovedClock> moved;

  /// True if everything is as it should be and nothing remains to be done.
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
    /// The limits that the site allows; absent: those that each clock has without any claim.
    std::optional<ClockLimits> site;
    std::chrono::milliseconds lock_patience{1000};
    /// The longest time until a control shows what was written: since Linux 5.5 a work queue sets
    /// limits (cpufreq_notifier_max).
    std::chrono::milliseconds effect_patience{5};
    /// Seams for tests.
    std::function<bool(const processes::ProcessIdentity&)> alive = processes::is_alive;
    std::function<bool(const processes::ProcessIdentity&)> end_keeper =
        [](const processes::ProcessIdentity& keeper) { return processes::end_process(keeper); };
    std::string boot = processes::boot_id();
  };

  /// Keeps a reference to `files`.
  FrequencyControl(CpufreqFiles& files, Settings settings);

  /// Sets the limits of a claim on a step's PUs. `allocated` are all PUs of the job on this node: a
  /// clock that a CPU outside of them shares is left alone. A claim of the same owner that is there
  /// already is replaced. Where the journal can't be written nothing is changed.
  ///
  /// Where a claim has a keeper this must not write before the call has returned, and then within
  /// the report's `moved` only. The keepers of other claims on the same clocks are ended, whoever's
  /// they are: then the highest of the claims holds there again.
  FrequencyReport claim(const Claim& claim, const PuSet& allocated);

  /// Returns the limits of these PUs' clocks without any claim; without those that can't be read.
  /// Takes no lock: a claim that is made or withdrawn meanwhile may be seen in part.
  [[nodiscard]] LimitsByPu limits_without_claims(const PuSet& pus) const;

  /// Takes back the claims that `which` names, and those of processes that are gone, after it has
  /// ended their keepers; one whose keeper does not end stays. Clocks of keepers that are gone get
  /// the top of what their claim allows. Clocks that
  /// nobody claims any more get what they had, one control after the other: one that fails does not
  /// stop the rest, and one that somebody else has changed since is left as it is and stays in the
  /// journal, to be put back if it once shows again what Huddle wrote. Does without the journal
  /// where that can be read and not written, and without the lock where another process keeps it.
  FrequencyReport release(const std::function<bool(const Claim&)>& which);

  /// Takes back only the claims of processes that are gone, and forgets what somebody else changed.
  FrequencyReport sweep();

 private:
  FrequencyReport take_back(const std::function<bool(const Claim&)>& which, Changed changed);
  [[nodiscard]] Journal what_holds(const Journal& on_disk,
                                   const std::function<bool(const Claim&)>& withdrawn,
                                   FrequencyReport& report) const;
  bool lose_keeper(Claim& claim, FrequencyReport& report) const;
  void end_keepers_beside(const Claim& claim, std::vector<Claim>& others,
                          const std::map<std::uint32_t, PuSet>& policies,
                          FrequencyReport& report) const;
  void put_back_unlocked(const std::function<bool(const Claim&)>& which, FrequencyReport& report);

  CpufreqFiles& files_;
  Settings settings_;
};

}  // namespace huddle::frequency
