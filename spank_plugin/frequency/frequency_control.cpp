#include "spank_plugin/frequency/frequency_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/frequency_reconciler.hpp"
#include "spank_plugin/frequency/journal.hpp"
#include "spank_plugin/frequency/journal_directory.hpp"

namespace huddle::frequency {
namespace {

void save(const JournalDirectory& directory, const Journal& journal) {
  if (journal.empty())
    directory.remove();
  else
    directory.write(text_of(journal));
}

// Drops the entries of a damaged journal that would slow a core: they may be other than what Huddle
// wrote.
void drop_what_lowers(Journal& journal) {
  std::erase_if(journal.controls, [](const auto& control) {
    return control.first.control == Control::kMost &&
           parse_khz(control.second.original) < parse_khz(control.second.written);
  });
}

// Enters the hardware's own limits as those to put back, for each clock that is limited and has no
// entry: nobody knows what it had. Says which these are.
void assume_hardware_limits(const CpufreqFiles& files, Journal& journal, FrequencyReport& report) {
  PuSet assumed;
  for (const std::uint32_t number : files.policies()) {
    const auto enter = [&](Control control, const char* hardware) {
      const auto now = read_control(files, number, control);
      const auto own = files.read(number, hardware);
      if (!now || !own || *now == *own || !parse_khz(*own)) return;
      if (journal.controls.emplace(SavedControl{number, control}, SavedValue{*own, *now}).second)
        assumed.add(number);
    };
    enter(Control::kLeast, "cpuinfo_min_freq");
    enter(Control::kMost, "cpuinfo_max_freq");
  }
  if (!assumed.empty())
    report.failures.push_back(
        fmt::format("cpufreq policies {} were limited and have no readable entry: they get the "
                    "hardware's own limits, as soon as no step claims them",
                    assumed.list()));
}

// Returns the journal that can be made of a damaged one. That is kept aside for people where it is
// possible.
Journal rescue(const JournalDirectory& directory, const std::string& text, const std::string& why,
               const CpufreqFiles& files, const FrequencyControl::Settings& settings,
               FrequencyReport& report) {
  std::string kept = "it stays there";
  try {
    kept = "it is kept as " + directory.set_aside().string();
  } catch (const Error& error) {
    report.failures.emplace_back(error.what());
  }
  report.failures.push_back(fmt::format("{}; {}, and what can be read of it is used", why, kept));
  Journal journal = readable_part_of(text, settings.boot);
  if (journal.boot != settings.boot) return journal;
  drop_what_lowers(journal);
  assume_hardware_limits(files, journal, report);
  try {
    save(directory, journal);
  } catch (const Error& error) {
    report.failures.emplace_back(error.what());
  }
  return journal;
}

Journal load(const JournalDirectory& directory, const CpufreqFiles& files,
             const FrequencyControl::Settings& settings, FrequencyReport& report) {
  Journal fresh;
  fresh.boot = settings.boot;
  std::optional<std::string> text;
  try {
    text = directory.read();
    return text ? parse_journal(*text, directory.file().string()) : fresh;
  } catch (const Error& error) {
    return rescue(directory, text.value_or(""), error.what(), files, settings, report);
  }
}

void add(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  for (const std::string& line : more)
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

// Brings the node to what a journal says.
class JournaledChange {
 public:
  JournaledChange(CpufreqFiles& files, const PusByPolicy& policies,
                  const JournalDirectory& directory, Journal on_disk,
                  std::chrono::milliseconds patience, FrequencyReport& report)
      : files_(files),
        policies_(policies),
        directory_(directory),
        on_disk_(std::move(on_disk)),
        patience_(patience),
        report_(report) {}

  // The limits of claimed policies afterwards; nothing if the journal could not be saved first:
  // then nothing was done.
  std::optional<std::map<std::uint32_t, ClockLimits>> carry_out(const Journal& journal) {
    FrequencyReconciler reconciler(files_, policies_, journal, FrequencyReconciler::Scope::kAll);
    try {
      directory_.write(text_of(reconciler.journal()));
    } catch (const Error& error) {
      report_.failures.emplace_back(error.what());
      return std::nullopt;
    }
    on_disk_ = reconciler.journal();
    apply(reconciler);
    moved_ = reconciler.moved();
    return reconciler.claimed_limits();
  }

  // The clocks that keepers move since then.
  [[nodiscard]] const std::vector<MovedClock>& moved() const { return moved_; }

  // Puts back what nobody claims any more. That needs no new journal before: the old one says the
  // same.
  void put_back(const Journal& journal, Changed changed = Changed::kRemember) {
    FrequencyReconciler reconciler(files_, policies_, journal,
                                   FrequencyReconciler::Scope::kPutBackOnly, changed);
    apply(reconciler);
  }

  // True if clocks that are still claimed are to be changed.
  [[nodiscard]] bool changes_claimed(const Journal& journal) const {
    return !journal.claims.empty() &&
           FrequencyReconciler(files_, policies_, journal, FrequencyReconciler::Scope::kAll)
               .sets_something();
  }

 private:
  void apply(FrequencyReconciler& reconciler) {
    reconciler.apply(patience_);
    add(report_.failures, reconciler.not_set());
    add(report_.not_put_back, reconciler.not_put_back());
    if (reconciler.journal() == on_disk_) return;
    try {
      save(directory_, reconciler.journal());
      on_disk_ = reconciler.journal();
    } catch (const Error& error) {
      add(report_.failures, {error.what()});
    }
  }

  CpufreqFiles& files_;
  const PusByPolicy& policies_;
  const JournalDirectory& directory_;
  Journal on_disk_;
  std::chrono::milliseconds patience_;
  FrequencyReport& report_;
  std::vector<MovedClock> moved_;
};

// Takes from a claim the PUs whose clock is shared with CPUs that are not the job's, and those
// without cpufreq.
void keep_own_clocks(const PusByPolicy& policies, const PuSet& allocated, Claim& claim,
                     FrequencyReport& report) {
  LimitsByPu controlled;
  PuSet shared;
  for (const auto& [number, pus] : policies) {
    const auto& members = pus.members();
    const bool own = std::all_of(members.begin(), members.end(),
                                 [&](std::uint32_t pu) { return allocated.contains(pu); });
    for (const std::uint32_t pu : members) {
      const auto limits = claim.limits.find(pu);
      if (limits == claim.limits.end()) continue;
      if (own)
        controlled.insert(*limits);
      else
        shared.add(pu);
    }
  }
  if (!shared.empty())
    report.failures.push_back(
        fmt::format("PUs {} keep their frequency: they share a clock with CPUs that are not the "
                    "job's",
                    shared.list()));
  else if (controlled.empty())
    report.failures.emplace_back("this node's Linux has no cpufreq for the step's cores");
  claim.limits = std::move(controlled);
}

// Returns the limits that the node has without any claim; nothing if they can't be read.
std::optional<ClockLimits> own_limits(const CpufreqFiles& files, const Journal& journal,
                                      std::uint32_t policy) {
  const auto own = [&](Control control) {
    const auto saved = journal.controls.find({policy, control});
    return parse_khz(saved != journal.controls.end()
                         ? saved->second.original
                         : files.read(policy, file_of(control)).value_or(""));
  };
  const auto least = own(Control::kLeast);
  const auto most = own(Control::kMost);
  if (!least || !most || *least > *most) return std::nullopt;
  return ClockLimits{*least, *most};
}

// Where the site sets no limits to jobs, those that an administrator gave the node hold.
void keep_within_own(const CpufreqFiles& files, const PusByPolicy& policies, const Journal& journal,
                     Claim& claim) {
  for (const auto& [number, pus] : policies)
    for (const std::uint32_t pu : pus.members()) {
      const auto wish = claim.limits.find(pu);
      if (wish == claim.limits.end()) continue;
      if (const auto own = own_limits(files, journal, number))
        wish->second = moved_into(wish->second, *own);
    }
}

}  // namespace

FrequencyControl::FrequencyControl(CpufreqFiles& files, Settings settings)
    : files_(files), settings_(std::move(settings)) {}

// False if it is still there.
bool FrequencyControl::lose_keeper(Claim& claim, FrequencyReport& report) const {
  if (claim.keeper && !settings_.end_keeper(*claim.keeper)) {
    report.not_put_back.push_back(
        fmt::format("the keeper of step {}.{} (process {}) does not end: its clocks stay as they "
                    "are",
                    claim.job, claim.step, claim.keeper->pid));
    return false;
  }
  claim.keeper.reset();
  return true;
}

// Returns the part of a journal that still holds, without the claims that are withdrawn now.
Journal FrequencyControl::what_holds(const Journal& on_disk,
                                     const std::function<bool(const Claim&)>& withdrawn,
                                     FrequencyReport& report) const {
  Journal journal;
  journal.boot = settings_.boot;
  // Else the machine was started anew since then, and the kernel with values of its own.
  if (on_disk.boot != settings_.boot) return journal;
  journal.controls = on_disk.controls;
  for (Claim claim : on_disk.claims) {
    if (claim.keeper && !settings_.alive(*claim.keeper)) claim.keeper.reset();
    const bool holds = settings_.alive(claim.owner) && !withdrawn(claim);
    if (holds || !lose_keeper(claim, report)) journal.claims.push_back(std::move(claim));
  }
  return journal;
}

void FrequencyControl::end_keepers_beside(const Claim& claim, std::vector<Claim>& others,
                                          const PusByPolicy& policies,
                                          FrequencyReport& report) const {
  for (Claim& other : others) {
    if (!other.keeper || other.keeper == claim.keeper) continue;
    const bool meets =
        other.owner == claim.owner ||
        std::any_of(policies.begin(), policies.end(), [&](const auto& policy) {
          return any_claimed(claim, policy.second) && any_claimed(other, policy.second);
        });
    if (meets) lose_keeper(other, report);
  }
}

LimitsByPu FrequencyControl::limits_without_claims(const PuSet& pus) const {
  Journal journal;
  if (const auto directory = JournalDirectory::open_unlocked(settings_.journal_directory))
    if (const auto text = directory->read()) journal = readable_part_of(*text, settings_.boot);
  if (journal.boot != settings_.boot) journal = {};
  LimitsByPu limits;
  for (const auto& [number, members] : pus_by_policy(files_))
    for (const std::uint32_t pu : members.members())
      if (pus.contains(pu))
        if (const auto own = own_limits(files_, journal, number)) limits[pu] = *own;
  return limits;
}

FrequencyReport FrequencyControl::claim(const Claim& wished, const PuSet& allocated) {
  FrequencyReport report;
  try {
    Claim asked = wished;
    if (asked.keeper && !settings_.alive(*asked.keeper)) asked.keeper.reset();
    Claim claim = asked;
    if (settings_.site)
      for (auto& [pu, limits] : claim.limits) limits = moved_into(limits, *settings_.site);
    const PusByPolicy policies = pus_by_policy(files_);
    keep_own_clocks(policies, allocated, claim, report);
    if (claim.limits.empty()) return report;

    const auto directory = JournalDirectory::open(
        settings_.journal_directory, JournalDirectory::IfAbsent::kMake, settings_.lock_patience);
    const Journal old = load(*directory, files_, settings_, report);
    // Not all of the same job and step: Slurm numbers the parts of a heterogeneous job alike.
    Journal others = what_holds(
        old, [](const Claim&) { return false; }, report);
    end_keepers_beside(claim, others.claims, policies, report);
    std::erase_if(others.claims, [&](const Claim& other) { return other.owner == claim.owner; });
    if (!settings_.site) keep_within_own(files_, policies, others, claim);
    Journal all = others;
    all.claims.push_back(claim);
    JournaledChange change(files_, policies, *directory, old, settings_.effect_patience, report);
    if (const auto limits = change.carry_out(all)) {
      add(report.differences, differences(policies, *limits, asked));
      if (claim.keeper) report.moved = moved_for(claim, others.claims, change.moved());
    } else {
      change.put_back(others);
    }
  } catch (const Error& error) {
    report.failures.emplace_back(error.what());
  }
  return report;
}

FrequencyReport FrequencyControl::take_back(const std::function<bool(const Claim&)>& which,
                                            Changed changed) {
  FrequencyReport report;
  try {
    const auto directory = JournalDirectory::open(
        settings_.journal_directory, JournalDirectory::IfAbsent::kLeave, settings_.lock_patience);
    if (!directory) return report;
    const Journal old = load(*directory, files_, settings_, report);
    const Journal journal = what_holds(old, which, report);
    const PusByPolicy policies = journal.claims.empty() ? PusByPolicy() : pus_by_policy(files_);
    JournaledChange change(files_, policies, *directory, old, settings_.effect_patience, report);
    if (!change.changes_claimed(journal) || !change.carry_out(journal))
      change.put_back(journal, changed);
  } catch (const JournalLocked& error) {
    report.failures.emplace_back(error.what());
    report.journal_was_locked = true;
    put_back_unlocked(which, report);
  } catch (const Error& error) {
    report.failures.emplace_back(error.what());
  }
  return report;
}

void FrequencyControl::put_back_unlocked(const std::function<bool(const Claim&)>& which,
                                         FrequencyReport& report) {
  try {
    const auto directory = JournalDirectory::open_unlocked(settings_.journal_directory);
    const auto text = directory ? directory->read() : std::nullopt;
    if (!text) return;
    const Journal journal = what_holds(readable_part_of(*text, settings_.boot), which, report);
    const PusByPolicy policies = journal.claims.empty() ? PusByPolicy() : pus_by_policy(files_);
    FrequencyReconciler reconciler(files_, policies, journal,
                                   FrequencyReconciler::Scope::kPutBackOnly);
    reconciler.apply(settings_.effect_patience);
    add(report.not_put_back, reconciler.not_put_back());
  } catch (const Error& error) {
    report.failures.emplace_back(error.what());
  }
}

FrequencyReport FrequencyControl::release(const std::function<bool(const Claim&)>& which) {
  return take_back(which, Changed::kRemember);
}

FrequencyReport FrequencyControl::sweep() {
  return take_back([](const Claim&) { return false; }, Changed::kForget);
}

}  // namespace huddle::frequency
